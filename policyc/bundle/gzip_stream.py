"""One gzip member, written with the same bytes for the same content, and read within bounds."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from policyc.bundle.errors import BundleError

_MAGIC: Final = b"\x1f\x8b"
# Deflate, no flags (so no file name), time 0, best compression, unknown operating system (RFC 1952).
_HEADER: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
_PIECE: Final = 64 * 1024


def compress(content: bytes) -> bytes:
    """One gzip member without host, time or file name. zlib's version decides the compressed bytes in it."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = deflate.compress(content) + deflate.flush()
    return _HEADER + body + struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)


class GzipStream:
    """Reads the content of exactly one gzip member piece by piece; never inflates more than `limit` bytes.

    Raises BundleError: `not_gzip`, `archive_truncated`, `archive_damaged`, `trailing_data`, `too_large`.
    """

    def __init__(self, data: bytes, limit: int) -> None:
        if not data.startswith(_MAGIC):
            plain = data[257:262] == b"ustar"
            found = "a tar that is not compressed" if plain else "something else" if data else "an empty file"
            raise BundleError("not_gzip", f"expected a gzip file, found {found}")
        self._data = memoryview(data)
        self._position = 0
        self._limit = limit
        self._inflated = 0
        self._ready = b""
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def read(self, size: int) -> bytes:
        """Exactly `size` bytes, fewer only at the end of the member."""
        pieces = [self._ready[:size]]
        missing = size - len(pieces[0])
        self._ready = self._ready[size:]
        while missing > 0 and (piece := self._next_piece()):
            pieces.append(piece[:missing])
            self._ready = piece[missing:]
            missing -= len(pieces[-1])
        return b"".join(pieces)

    def finish(self) -> None:
        """Checks that the member ends here and that the file ends with it."""
        if self._ready or self._next_piece():
            raise AssertionError("finish() is for after the last byte was read")
        rest = self._inflate.unused_data + bytes(self._data[self._position : self._position + 2])
        if rest.startswith(_MAGIC):
            raise BundleError("trailing_data", "expected one gzip member, found a second one after it")
        if rest:
            raise BundleError(
                "trailing_data", "expected the file to end with the gzip data, found more after it"
            )

    def _next_piece(self) -> bytes:
        while not self._inflate.eof:
            # Small pieces of input: what zlib hands back unused is copied on each round.
            source = self._inflate.unconsumed_tail or self._take()
            try:
                piece = self._inflate.decompress(source, _PIECE)
            except zlib.error as error:
                raise BundleError("archive_damaged", f"the gzip data is damaged ({error})") from None
            self._inflated += len(piece)
            if self._inflated > self._limit:
                raise BundleError(
                    "too_large", f"the archive holds more than {self._limit:,} bytes when inflated"
                )
            if piece:
                return piece
            if not source and not self._inflate.eof:
                raise BundleError("archive_truncated", "the gzip data ends before its end mark")
        return b""

    def _take(self) -> bytes:
        start, self._position = self._position, min(self._position + _PIECE, len(self._data))
        return bytes(self._data[start : self._position])
