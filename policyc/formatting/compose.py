"""YAML text to nodes that know how they were written, from the events that the compiler reads too."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

import yaml
from yaml import events, tokens

from policyc.formatting.comments import attach
from policyc.formatting.nodes import ALIAS, MAPPING, SCALAR, SEQUENCE, Comment, Entry, Node

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
_KINDS = {events.MappingStartEvent: MAPPING, events.SequenceStartEvent: SEQUENCE}


def compose(text: str) -> tuple[Node, list[Comment]]:
    """The root of a document that could be read, and comments that stand outside of it (all, when it has no
    entry). Lines end with ``\\n``."""
    scanned = list(yaml.scan(text, Loader=_Loader))
    found = list(_comments(text, scanned))
    root = _Composer(text, scanned).root()
    return root, attach(root, found, text)


def comments_of(text: str) -> list[str]:
    """The comments of a document, in order."""
    return [comment.text for comment in _comments(text, yaml.scan(text, Loader=_Loader))]


def _comments(text: str, scanned: Iterable[Any]) -> Iterator[Comment]:
    """What stands between tokens can only be spaces, directives and comments."""
    end = 0
    for token in scanned:
        for match in _COMMENT.finditer(text, end, max(end, token.start_mark.index)):
            yield _comment(text, match)
        end = max(end, token.end_mark.index)


def _comment(text: str, match: re.Match[str]) -> Comment:
    line = text.rfind("\n", 0, match.start()) + 1
    own_line = not text[line : match.start()].strip()
    return Comment(match[0].rstrip(), match.start(), match.start() - line, own_line, after_blank(text, line))


def after_blank(text: str, line: int) -> bool:
    """Whether the line that begins at ``line`` has an empty one above it."""
    return line > 0 and not text[text.rfind("\n", 0, line - 1) + 1 : line].strip()


def _end(event: Any) -> int:
    return int(event.end_mark.index)


class _Composer:
    def __init__(self, text: str, scanned: list[Any]) -> None:
        self._text = text
        self._events: Iterator[Any] = yaml.parse(text, Loader=_Loader)
        #: Where the text of a scalar begins, behind its anchor, by its end.
        self._starts = {
            token.end_mark.index: token.start_mark.index
            for token in scanned
            if isinstance(token, tokens.ScalarToken)
        }
        self._dashes = [
            token.start_mark.index for token in scanned if isinstance(token, tokens.BlockEntryToken)
        ]

    def root(self) -> Node:
        started = (events.StreamStartEvent, events.DocumentStartEvent)
        return self._node(next(event for event in self._events if not isinstance(event, started)))

    def _node(self, event: Any) -> Node:
        if isinstance(event, events.AliasEvent):
            return self._made(ALIAS, event, text=event.anchor)
        if isinstance(event, events.ScalarEvent):
            return self._scalar(event)
        node = self._made(_KINDS[type(event)], event, flow=bool(event.flow_style))
        for child in self._events:
            if isinstance(child, events.CollectionEndEvent):
                if node.flow:
                    node.end = _end(child)
                elif node.entries:
                    node.end = node.entries[-1].value.end
                    node.column = node.entries[0].start - self._text.rfind("\n", 0, node.entries[0].start) - 1
                return node
            node.entries.append(self._entry(node, child))
        raise AssertionError("a collection ends")  # pragma: no cover - the reader has read it to its end

    def _entry(self, parent: Node, event: Any) -> Entry:
        key = self._node(event) if parent.kind == MAPPING else None
        value = self._node(event if key is None else next(self._events))
        start = value.start if key is None else key.start
        if key is None and not parent.flow:
            start = self._dashes[bisect_left(self._dashes, start) - 1]
        return Entry(start, key, value, after_blank(self._text, self._text.rfind("\n", 0, start) + 1))

    def _scalar(self, event: Any) -> Node:
        end = _end(event)
        start = self._starts.get(end, end)
        return self._made(
            SCALAR, event, raw=self._text[start:end], text=event.value, style=event.style or None
        )

    def _made(self, kind: str, event: Any, **facts: Any) -> Node:
        mark, end = event.start_mark, _end(event)
        anchor = None if kind == ALIAS else event.anchor
        return Node(kind, mark.index, end, mark.column, anchor=anchor, **facts)
