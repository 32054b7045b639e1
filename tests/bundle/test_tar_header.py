from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.bundle.errors import BundleError
from policyc.bundle.tar_header import (
    FILE,
    FOLDER,
    LONG_NAME,
    PAX,
    Header,
    parse_header,
    parse_long_name,
    parse_pax,
)

from .crafting import header, pax, refusal


def pax_body(*records: tuple[str, str]) -> bytes:
    block = pax(*records)
    return block[512 : 512 + parse_header(block[:512]).size]


@pytest.mark.parametrize(
    ("kind", "expected"), [(b"0", FILE), (b"\0", FILE), (b"5", FOLDER), (b"x", PAX), (b"L", LONG_NAME)]
)
def test_kinds(kind: bytes, expected: str) -> None:
    assert parse_header(header(b"a/b", 5, kind)) == Header("a/b", expected, 5)


@pytest.mark.parametrize(
    "kind", [b"1", b"2", b"3", b"4", b"6", b"7", b"S", b"K", b"g", b"D", b"M", b"V", b"Z", b"\xff"]
)
def test_other_kinds_are_refused(kind: bytes) -> None:
    with pytest.raises(BundleError) as caught:
        parse_header(header(b"a", 0, kind, link=b"/etc/passwd"))
    assert refusal(caught.value) == "unsupported_entry"


def test_a_prefix_counts_in_posix_headers_only() -> None:
    assert parse_header(header(b"b", prefix=b"a")).name == "a/b"
    assert parse_header(header(b"b", prefix=b"a", magic=b"ustar  \0")).name == "b"


@pytest.mark.parametrize(
    "size",
    [
        b"\x80" + bytes(10) + b"\x05",
        b"\xff" * 12,
        b"-0000000005\0",
        b"00000000008\0",
        bytes(12),
        b"5 5" + bytes(9),
    ],
)
def test_sizes_are_plain_octal_numbers(size: bytes) -> None:
    with pytest.raises(BundleError) as caught:
        parse_header(header(b"a", size_field=size))
    assert refusal(caught.value) == "archive_damaged"


def test_a_wrong_checksum_and_an_old_format_are_refused() -> None:
    block = bytearray(header(b"a", 5))
    block[0] ^= 1
    with pytest.raises(BundleError, match="checksum"):
        parse_header(bytes(block))
    with pytest.raises(BundleError, match="neither a POSIX nor a GNU"):
        parse_header(header(b"a", magic=bytes(8)))


def test_a_name_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(BundleError) as caught:
        parse_header(header(b"\xff\xfe"))
    assert refusal(caught.value) == "unsafe_path"


def test_a_pax_header_may_give_a_path_and_what_does_not_matter() -> None:
    assert (
        parse_pax(pax_body(("mtime", "1.5"), ("path", "ü"), ("LIBARCHIVE.xattr.com.apple.provenance", "x")))
        == "ü"
    )
    assert parse_pax(pax_body(("mtime", "1.5"))) is None
    assert parse_pax(b"") is None


@pytest.mark.parametrize(
    "key",
    [
        "size",
        "linkpath",
        "hdrcharset",
        "GNU.sparse.major",
        "GNU.sparse.realsize",
        "GNU.sparse.name",
        "SCHILY.realsize",
    ],
)
def test_a_pax_header_may_not_change_the_entry(key: str) -> None:
    with pytest.raises(BundleError) as caught:
        parse_pax(pax_body((key, "1")))
    assert refusal(caught.value) == "unsupported_entry"


def test_a_pax_header_may_not_give_two_paths() -> None:
    with pytest.raises(BundleError) as caught:
        parse_pax(pax_body(("path", "a"), ("path", "b")))
    assert refusal(caught.value) == "unsupported_entry"


@pytest.mark.parametrize(
    "body",
    [
        b"9 path=a",
        b"99 path=a\n",
        b"5 path=a\n",
        b"8 path=a\n",
        b"0 path=a\n",
        b"-9 path=a\n",
        b"path=a\n",
        b"9 path:a\n",
        b"\0" * 20,
        b"9 path=a\nx",
        b"99999999999999999999 path=a\n",
        b"7 path=\n",
    ],
)
def test_a_damaged_pax_header_is_refused(body: bytes) -> None:
    with pytest.raises(BundleError) as caught:
        parse_pax(body)
    assert refusal(caught.value) == "archive_damaged"


def test_long_names() -> None:
    assert parse_long_name(b"a" * 200 + b"\0") == "a" * 200


@given(st.binary(max_size=600))
def test_no_block_does_more_than_raise_bundle_error(noise: bytes) -> None:
    for parse in (parse_header, parse_pax, parse_long_name):
        try:
            parse(noise)
        except BundleError as error:
            refusal(error)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=300))
def test_agrees_with_the_standard_library_on_what_it_writes(name: str) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo(name))
    blocks = buffer.getvalue()
    first = parse_header(blocks[:512])
    if first.kind == PAX:
        assert parse_pax(blocks[512 : 512 + first.size]) == name
    else:
        assert first == Header(name, FILE, 0)
