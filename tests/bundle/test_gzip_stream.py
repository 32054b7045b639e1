from __future__ import annotations

import gzip
import random
import zlib

import pytest

from policyc.bundle.errors import BundleError
from policyc.bundle.gzip_stream import GzipStream, compress

from .crafting import refusal

CONTENT = random.Random(1).randbytes(300_000) + bytes(300_000)


def drained(data: bytes, limit: int = 1 << 30, step: int = 512) -> bytes:
    stream = GzipStream(data, limit)
    pieces = []
    while piece := stream.read(step):
        pieces.append(piece)
    stream.finish()
    return b"".join(pieces)


def code_of(data: bytes, limit: int = 1 << 30) -> str:
    with pytest.raises(BundleError) as caught:
        drained(data, limit)
    return refusal(caught.value)


def test_compressed_content_has_no_time_name_or_system_and_the_standard_library_reads_it() -> None:
    data = compress(CONTENT)
    assert data[:10] == b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"
    assert data == compress(CONTENT)
    assert gzip.decompress(data) == CONTENT


@pytest.mark.parametrize("step", [1 << 9, 70_001, 1 << 24])
def test_reads_back_in_steps_of_any_size(step: int) -> None:
    assert drained(compress(CONTENT), step=step) == CONTENT


def test_other_writers_and_file_names_in_the_header_are_read() -> None:
    assert drained(gzip.compress(CONTENT)) == CONTENT
    named = b"\x1f\x8b\x08\x08" + bytes(4) + b"\x02\x03" + b"bundle.tar\0" + compress(CONTENT)[10:]
    assert drained(named) == CONTENT


def test_empty_content() -> None:
    assert drained(compress(b"")) == b""


@pytest.mark.parametrize("cut", [2, 9, 10, 11, 1000, -9, -8, -4, -1])
def test_truncated(cut: int) -> None:
    assert code_of(compress(CONTENT)[:cut]) == "archive_truncated"


def test_not_gzip() -> None:
    assert code_of(b"") == "not_gzip"
    assert code_of(b"PK\x03\x04") == "not_gzip"
    with pytest.raises(BundleError, match="a tar that is not compressed"):
        drained(bytes(257) + b"ustar\x0000")


def test_damaged() -> None:
    data = bytearray(compress(CONTENT))
    data[-8] ^= 1
    assert code_of(bytes(data)) == "archive_damaged"  # the checksum
    assert code_of(b"\x1f\x8b\x08\x00" + bytes(6) + b"\xff" * 100) == "archive_damaged"
    assert code_of(b"\x1f\x8b\x07" + bytes(100)) == "archive_damaged"  # an unknown method


@pytest.mark.parametrize("rest", [b"\0", b"\0" * 100_000, b"x", compress(b"second"), b"\x1f\x8b"])
def test_nothing_may_follow_the_member(rest: bytes) -> None:
    assert code_of(compress(CONTENT) + rest) == "trailing_data"


def test_a_second_member_is_called_one() -> None:
    with pytest.raises(BundleError, match="a second one after it"):
        drained(compress(CONTENT) + compress(CONTENT))


def test_the_limit_holds_while_reading() -> None:
    assert drained(compress(CONTENT), limit=len(CONTENT)) == CONTENT
    assert code_of(compress(CONTENT), limit=len(CONTENT) - 1) == "too_large"


def test_a_bomb_is_not_inflated_beyond_the_limit() -> None:
    deflate = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    bomb = b"".join(deflate.compress(bytes(1 << 20)) for _ in range(64)) + deflate.flush()
    stream = GzipStream(bomb, limit=1 << 20)
    assert stream.read(1 << 20) == bytes(1 << 20)
    with pytest.raises(BundleError, match="more than 1,048,576 bytes"):
        stream.read(1)
