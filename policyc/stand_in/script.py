"""What the model of a stand-in says: turns, made of parts that every API can carry."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from policyc.stand_in.received import Received


@dataclass(frozen=True)
class Text:
    """Text for the user; streamed in ``pieces`` deltas."""

    text: str
    pieces: int = 2


@dataclass(frozen=True)
class Thought:
    """Reasoning before an answer, with the signature that must come back with the next request."""

    text: str
    signature: str = "c2lnbmVk"


@dataclass(frozen=True)
class ToolCall:
    """A call as the model writes it: ``arguments`` is text, and need not be JSON."""

    name: str
    arguments: str = "{}"
    pieces: int = 3
    id: str | None = None
    """None: one of the stand-in's own, where the API has ids."""
    signature: str | None = None
    """A thought signature on the call itself (Gemini)."""


@dataclass(frozen=True)
class Item:
    """A content block, output item or part in the API's own form, as it is."""

    document: Mapping[str, Any]


@dataclass(frozen=True)
class Pause:
    """The stream waits here until the event is set; where that takes longer than a minute, it breaks off."""

    until: threading.Event


@dataclass(frozen=True)
class Cut:
    """The connection ends here, in the middle of the answer."""


Part = Text | Thought | ToolCall | Item | Pause | Cut


@dataclass(frozen=True)
class Turn:
    """One answer of the model, or of the API instead of the model."""

    parts: Sequence[Part] = ()
    status: int = 200
    error: str = "the stand-in was told to fail"
    """The message of an answer whose status is not 200."""
    headers: Mapping[str, str] = field(default_factory=dict)
    input_tokens: int = 11
    output_tokens: int = 7
    stop: str | None = None
    """The API's own reason for stopping; None: what follows from the parts."""
    model: str | None = None
    """The model that answers; None: the one that was asked for."""

    @property
    def calls(self) -> list[ToolCall]:
        return [part for part in self.parts if isinstance(part, ToolCall)]

    @property
    def content(self) -> list[Text | Thought | ToolCall | Item]:
        """The parts that are content, which is all that an answer in one piece carries."""
        return [part for part in self.parts if not isinstance(part, Pause | Cut)]


Model = Callable[[Received], Turn]


def turn(*parts: Part | str, **options: Any) -> Turn:
    """A turn of these parts; a string is a text."""
    return Turn([Text(part) if isinstance(part, str) else part for part in parts], **options)


class Script:
    """A model that says its turns one after the other, and fails a request beyond the last."""

    def __init__(self, *turns: Turn) -> None:
        self._left = list(turns)
        self._lock = threading.Lock()

    def __call__(self, received: Received) -> Turn:
        with self._lock:
            if not self._left:
                return Turn(status=500, error=f"the script has no turn for {received.path}")
            return self._left.pop(0)


def pieces(text: str, count: int) -> list[str]:
    """``text`` cut into ``count`` parts of nearly the same length, none of them empty."""
    step = max(1, -(-len(text) // count))
    return [text[start : start + step] for start in range(0, len(text), step)]
