"""Builds a document from reader events: one for YAML and for JSON, so that both have the same rules.

Iterative, with the bounds that keep a hostile file from costing more than its size: nesting, and how many
values it has after its aliases are expanded (the billion laughs).
"""

from __future__ import annotations

from typing import Any

from policyc.source.diagnostics import JsonPath, Place
from policyc.source.findings import Findings
from policyc.source.nodes import MappingNode, SequenceNode
from policyc.source.wording import plain, shortened

#: Levels of nesting, also through aliases. A rule needs eight.
MAX_DEPTH = 50
#: Values in one file, aliases expanded. Ten thousand rules with two clauses each have about 300,000.
MAX_VALUES = 1_000_000

_DROPPED = object()


class Unreadable(Exception):
    """Reading stops here; the reason was reported."""


class Measured:
    """A finished value with its size and height, as an alias to it needs them."""

    __slots__ = ("height", "size", "value")

    def __init__(self, value: Any, size: int, height: int) -> None:
        self.value = value
        self.size = size
        self.height = height


class _Frame:
    """A container being filled. ``key`` is None where a mapping waits for its next key."""

    __slots__ = ("anchor", "container", "height", "key", "key_place", "size")

    def __init__(self, container: MappingNode | SequenceNode, anchor: str | None) -> None:
        self.container = container
        self.anchor = anchor
        self.key: Any = None
        self.key_place: Place = container.place
        self.size = 1
        self.height = 1


class Builder:
    """Takes values in document order; ``root`` is the finished document."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._stack: list[_Frame] = []
        self._values = 0
        #: Whether an alias was taken: what it stands for has more than one path.
        self.aliases = False
        self.anchors: dict[str, Measured] = {}
        self.root: Any = None

    @property
    def at(self) -> JsonPath:
        """The JSON path of the next value."""
        steps: list[str | int] = []
        for frame in self._stack:
            if isinstance(frame.container, SequenceNode):
                steps.append(len(frame.container))
            elif isinstance(frame.key, str):
                steps.append(frame.key)
        return tuple(steps)

    @property
    def wants_key(self) -> bool:
        """Whether the next value is a key of a mapping."""
        return (
            bool(self._stack)
            and self._stack[-1].key is None
            and type(self._stack[-1].container) is MappingNode
        )

    @property
    def open_anchors(self) -> set[str]:
        """Anchors of the containers that are still being filled."""
        return {frame.anchor for frame in self._stack if frame.anchor is not None}

    def open(self, container: MappingNode | SequenceNode, anchor: str | None = None) -> None:
        """Start a container; everything up to ``close`` goes into it."""
        if len(self._stack) >= MAX_DEPTH:
            self.stop("too_deep", container.place, f"more than {MAX_DEPTH} levels of nesting")
        self._stack.append(_Frame(container, anchor))

    def close(self) -> None:
        """Finish the innermost container."""
        frame = self._stack.pop()
        measured = Measured(frame.container, frame.size, frame.height)
        if frame.anchor is not None:
            self.anchors[frame.anchor] = measured
        self._attach(frame.container, frame.container.place, frame.size, frame.height)

    def alias(self, target: Measured, place: Place) -> None:
        """Put an anchored value here once more."""
        self.aliases = True
        if len(self._stack) + target.height > MAX_DEPTH:
            self.stop("too_deep", place, f"more than {MAX_DEPTH} levels of nesting through an alias")
        self._count(target.size, place)
        if self.wants_key:
            self.key(target.value, place)
        else:
            self._attach(target.value, place, target.size, target.height)

    def unknown(self, place: Place) -> None:
        """The value here cannot be read, which was reported: nothing about it counts from now on."""
        self._findings.hole(self.at)
        if self.wants_key:
            self.drop_key()
        else:
            self.scalar(None, place)

    def scalar(self, value: Any, place: Place) -> None:
        """Put a scalar here (not as a key: ``key``)."""
        self._count(1, place)
        self._attach(value, place, 1, 0)

    def key(self, value: Any, place: Place) -> None:
        """The next key of the innermost mapping; a bad one is reported, and its value read and dropped."""
        self._count(1, place)
        frame = self._stack[-1]
        frame.key, frame.key_place = self._checked_key(frame.container, value, place), place

    def drop_key(self) -> None:
        """The next key of the innermost mapping was reported: read its value and drop it."""
        self._stack[-1].key = _DROPPED

    def _checked_key(self, mapping: Any, value: Any, place: Place) -> Any:
        if not isinstance(value, str):
            shown = "a list or mapping" if isinstance(value, (list, dict)) else f"`{plain(value)}`"
            self._findings.add(
                "key_not_text", place, self.at, f"a key must be a string, not {shown}", "quote it"
            )
            return _DROPPED
        if value in mapping:
            line = mapping.key_places[value][0]
            message = f"`{shortened(value)}` is already a key of this mapping, on line {line}"
            self._findings.add("duplicate_key", place, (*self.at, value), message, "remove one of them")
            return _DROPPED
        return value

    def _attach(self, value: Any, place: Place, size: int, height: int) -> None:
        if not self._stack:
            self.root = value
            return
        frame = self._stack[-1]
        frame.size += size
        if height >= frame.height:
            frame.height = height + 1
        container = frame.container
        if type(container) is SequenceNode:
            container.append(value)
            container.item_places.append(place)
        elif frame.key is None:  # only a container can get here: a complex key
            frame.key = self._checked_key(container, value, place)
        else:
            if frame.key is not _DROPPED:
                container[frame.key] = value
                container.key_places[frame.key] = frame.key_place  # type: ignore[union-attr]
                container.value_places[frame.key] = place  # type: ignore[union-attr]
            frame.key = None

    def _count(self, size: int, place: Place) -> None:
        self._values += size
        if self._values > MAX_VALUES:
            message = f"more than {MAX_VALUES:,} values"
            if self.aliases:
                self.stop("alias_bomb", place, f"{message} once its aliases are expanded")
            self.stop("too_many_values", place, f"{message} in one file")

    def stop(self, code: str, place: Place, message: str, hint: str | None = None) -> None:
        """Report and give up on this file. Raises Unreadable."""
        self._findings.add(code, place, self.at, message, hint)
        raise Unreadable
