"""Server-sent events, with the bytes they came in: https://html.spec.whatwg.org/multipage/server-sent-events.html"""

from __future__ import annotations

import re
from dataclasses import dataclass

# A carriage return that is the last byte so far may be half of a line end.
_LINE_END = rb"(?:\r\n|\n|\r(?=[^\n]))"
_EMPTY_LINE = re.compile(_LINE_END + _LINE_END)
_LONGEST_END = 4


#: Where many readers see the end of a line and the standard sees none.
_HALF_LINE_ENDS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
_FIELDS = ("", "data", "event", "id", "retry")


class NotAnEvent(ValueError):
    """A line that no reader of events would take for one."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event. ``raw`` are its bytes with the empty line that ends it; a comment has no ``data``."""

    raw: bytes
    name: str | None
    data: str | None

    @property
    def has_half_line_ends(self) -> bool:
        """Whether some readers would see more events in it than one."""
        return has_half_line_ends(self.raw)


def has_half_line_ends(raw: bytes) -> bool:
    """Whether some readers would see more lines in UTF-8 text than there are."""
    return _HALF_LINE_ENDS.search(raw.decode()) is not None


class EventReader:
    """Cuts a stream of bytes, in pieces of any size, into events."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._searched = 0

    def feed(self, piece: bytes) -> list[Event]:
        """The events that ``piece`` completes. Raises UnicodeDecodeError and NotAnEvent."""
        self._rest += piece
        found = []
        while (end := _EMPTY_LINE.search(self._rest, self._searched)) is not None:
            found.append(_event(bytes(self._rest[: end.end()])))
            del self._rest[: end.end()]
            self._searched = 0
        self._searched = max(0, len(self._rest) - _LONGEST_END)
        return found

    def close(self) -> list[Event]:
        """What is left where the stream ended without an empty line; some clients read that too."""
        return [_event(bytes(self._rest))] if self._rest else []

    @property
    def waiting(self) -> int:
        """Bytes of the event that is not complete yet."""
        return len(self._rest)


def _event(raw: bytes) -> Event:
    name, data = None, []
    for line in raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif field == "event":
            name = value.removeprefix(" ")
        elif field not in _FIELDS:
            raise NotAnEvent
    return Event(raw, name, "\n".join(data) if data else None)


def write_event(data: str, name: str | None = None) -> bytes:
    """The bytes of an event of one line of ``data``."""
    head = "" if name is None else f"event: {name}\n"
    return f"{head}data: {data}\n\n".encode()
