"""Memory that the workers of a group share: a place for each, which it alone writes and all read.

It is made before the workers are forked and outlives each of them, so what a worker counted stays when it is
killed.
"""

from __future__ import annotations

import mmap
import struct
import zlib

#: Bytes of one text. A worker's metrics are a few thousand, and a hundred for each rule in shadow; what is
#: not written costs no memory.
LARGEST = 1024 * 1024

_HEADER = struct.Struct("<QII")  # how many texts were written before, length, checksum
_HALF = _HEADER.size + LARGEST


class Board:
    """Texts, one per place. A reader never sees half of one: each place has two halves that take turns, and
    a half that was written in part does not match its checksum."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._memory = mmap.mmap(-1, places * 2 * _HALF)
        self._written = [0] * places

    def write(self, place: int, text: bytes) -> None:
        """Replaces what is at `place`. Raises ValueError beyond LARGEST."""
        if len(text) > LARGEST:
            raise ValueError(f"{len(text)} bytes do not fit in {LARGEST}")
        turn = max(self._written[place], self._newest(place)[0]) + 1
        self._written[place] = turn
        start = self._start(place, turn % 2)
        self._memory[start + _HEADER.size : start + _HEADER.size + len(text)] = text
        self._memory[start : start + _HEADER.size] = _HEADER.pack(turn, len(text), _checksum(turn, text))

    def read(self, place: int) -> bytes | None:
        """What was last written at `place`; None where nothing was."""
        return self._newest(place)[1]

    def _newest(self, place: int) -> tuple[int, bytes | None]:
        newest: tuple[int, bytes | None] = (0, None)
        for half in (0, 1):
            start = self._start(place, half)
            turn, length, checksum = _HEADER.unpack_from(self._memory, start)
            text = self._memory[start + _HEADER.size : start + _HEADER.size + min(length, LARGEST)]
            if turn > newest[0] and checksum == _checksum(turn, text):
                newest = (turn, text)
        return newest

    def _start(self, place: int, half: int) -> int:
        return (place * 2 + half) * _HALF


def _checksum(turn: int, text: bytes) -> int:
    return zlib.crc32(text, turn & 0xFFFFFFFF)
