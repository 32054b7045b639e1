"""A YAML document as it is written: order, styles, anchors, comments."""

from __future__ import annotations

from dataclasses import dataclass, field

SCALAR, MAPPING, SEQUENCE, ALIAS = "scalar", "mapping", "sequence", "alias"


@dataclass(slots=True)
class Comment:
    """``own_line``: nothing stands before it. ``blank``: an empty line does."""

    text: str
    start: int
    column: int
    own_line: bool
    blank: bool


@dataclass(slots=True)
class Entry:
    """A pair of a mapping, or an item of a sequence (``key`` is None).

    ``leading`` comments stand above it, ``head`` behind its key, ``tail`` behind its end. ``blank``: an empty
    line stands before it, or between it and its comments.
    """

    start: int
    key: Node | None
    value: Node
    blank: bool
    leading: list[Comment] = field(default_factory=list)
    head: list[Comment] = field(default_factory=list)
    tail: list[Comment] = field(default_factory=list)

    @property
    def blank_above(self) -> bool:
        """Whether an empty line stands before it and its comments."""
        return self.leading[0].blank if self.leading else self.blank

    @property
    def comments(self) -> list[Comment]:
        return [*self.leading, *self.head, *self.tail]


@dataclass(slots=True)
class Node:
    """``start`` and ``end`` are offsets in the text, the end behind the last character that counts.

    ``raw`` is a scalar as it is written, ``text`` what that means; ``style`` is its quote or block
    indicator, None for a plain one. ``foot`` comments stand below the last entry. ``definition``
    is what the schema calls the value, ``in_rule`` whether it stands inside a rule.
    """

    kind: str
    start: int
    end: int
    column: int
    anchor: str | None = None
    flow: bool = False
    raw: str = ""
    text: str = ""
    style: str | None = None
    entries: list[Entry] = field(default_factory=list)
    foot: list[Comment] = field(default_factory=list)
    definition: str = ""
    in_rule: bool = False

    @property
    def is_block(self) -> bool:
        """Whether it is written as lines of its own."""
        return self.kind in (MAPPING, SEQUENCE) and not self.flow

    @property
    def is_collection(self) -> bool:
        return self.kind in (MAPPING, SEQUENCE)
