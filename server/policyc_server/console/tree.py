"""A JSON value as a tree that people read: bounded, whatever somebody sent."""

from __future__ import annotations

import json
from dataclasses import dataclass

#: Values shown of one tree, and how deep; what is beyond is said, not shown.
MOST = 500
DEEPEST = 24
_LONGEST = 20_000


@dataclass(frozen=True)
class Node:
    """One value: ``kind`` is object, list, text, number, flag, null or more; ``lines`` of a text, or one.

    ``is_cut``: it, or something in it, is longer than what is here."""

    key: str | None
    kind: str
    lines: tuple[str, ...] = ()
    children: tuple[Node, ...] = ()
    is_cut: bool = False


def tree(value: object) -> Node:
    """The tree of a parsed JSON value."""
    return _Reader().node(None, value, 0)


class _Reader:
    def __init__(self) -> None:
        self._left = MOST

    def node(self, key: str | None, value: object, depth: int) -> Node:
        self._left -= 1
        if isinstance(value, dict):
            return self._container(key, "object", list(value.items()), depth)
        if isinstance(value, list):
            return self._container(key, "list", [(str(n), item) for n, item in enumerate(value)], depth)
        if isinstance(value, str):
            return Node(key, "text", _lines(value), is_cut=len(value) > _LONGEST)
        kind = "null" if value is None else "flag" if isinstance(value, bool) else "number"
        return Node(key, kind, (json.dumps(value),))

    def _container(self, key: str | None, kind: str, items: list[tuple[str, object]], depth: int) -> Node:
        if depth >= DEEPEST:
            return Node(key, kind, (), (_more(len(items)),) if items else (), is_cut=bool(items))
        children = []
        for position, (name, item) in enumerate(items):
            if self._left <= 0:
                children.append(_more(len(items) - position))
                break
            children.append(self.node(name, item, depth + 1))
        return Node(key, kind, (), tuple(children), is_cut=any(child.is_cut for child in children))


def _lines(text: str) -> tuple[str, ...]:
    shown = text[:_LONGEST].split("\n")
    if len(text) > _LONGEST:
        shown.append(f"… {len(text) - _LONGEST:,} more characters")
    return tuple(shown)


def _more(count: int) -> Node:
    return Node(None, "more", (f"{count:,} more, not shown",), is_cut=True)
