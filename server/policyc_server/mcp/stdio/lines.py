"""Lines of bytes out of chunks of any size, bounded."""

from __future__ import annotations

MIB = 1024 * 1024
#: Bytes of one message on a pipe.
LONGEST = 64 * MIB


class TooLong(ValueError):
    """A line is longer than it may be."""


class LineCutter:
    """Cuts what is fed at each line feed."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that ``chunk`` ends, without their line feeds and without empty ones. Raises TooLong."""
        *ended, rest = chunk.split(b"\n")
        lines = []
        for piece in ended:
            self._add(piece)
            lines.append(b"".join(self._parts))
            self._parts, self._size = [], 0
        self._add(rest)
        return [line for line in lines if line.strip()]

    def close(self) -> list[bytes]:
        """What is left where the bytes end without a line feed."""
        rest = b"".join(self._parts)
        return [rest] if rest.strip() else []

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._longest:
            raise TooLong(f"a message has more than {self._longest} bytes")
        if piece:
            self._parts.append(piece)
