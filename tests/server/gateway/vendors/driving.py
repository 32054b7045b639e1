"""A vendor's stream driven as the gateway drives it, over what the stand-in would send."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from policyc_server.gateway.sse import Event, EventReader
from policyc_server.gateway.vendors.vendor import Edit, End, Stream, ToolCall

from policyc.stand_in.apis import api_of
from policyc.stand_in.received import Received
from policyc.stand_in.script import Turn

Decide = Callable[[ToolCall], "Edit | str | None"]
#: What a decision is until the end of the turn.
LATER = "later"


def sent(path: str, turn: Turn, number: int = 1, **request: Any) -> bytes:
    """The bytes of a streamed answer of the stand-in."""
    received = Received(number, "POST", path, "alt=sse", {}, b"")
    received.document = {"model": "m", "input": "hi", **request}
    return b"".join(api_of(path).stream(turn, received))


def events(content: bytes) -> list[Event]:
    return EventReader().feed(content)


class Driver:
    """Settles each call as ``decide`` says, those for LATER with ``finally_`` after the end of the turn."""

    def __init__(self, stream: Stream, decide: Decide, finally_: Edit | None = None) -> None:
        self.stream = stream
        self.released: list[bytes] = []
        self.calls: list[ToolCall] = []
        self.waiting: list[Hashable] = []
        self.ends = 0
        self._decide = decide
        self._finally = finally_

    def feed(self, content: bytes) -> Driver:
        """All of a turn, but its end."""
        for event in events(content):
            for step in self.stream.feed(event):
                self._act(step)
        return self

    def _act(self, step: Any) -> None:
        if isinstance(step, ToolCall):
            self.calls.append(step)
            edit = self._decide(step)
            if edit == LATER:
                self.waiting.append(step.key)
            else:
                self.released.append(self.stream.settle(step.key, edit))
        elif isinstance(step, End):
            self.ends += 1
        else:
            self.released.append(step)

    def end(self) -> bytes:
        """Settles what waits, ends the turn and returns all that was released."""
        self.released += [self.stream.settle(key, self._finally) for key in self.waiting]
        self.released.append(self.stream.end())
        return b"".join(self.released)


def allow(_call: ToolCall) -> None:
    return None
