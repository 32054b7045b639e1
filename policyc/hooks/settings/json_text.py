"""JSON text with the place of every value, so that an edit can leave the rest as it was written.

Comments and trailing commas are read, since several agents allow them, and are never lost.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_OTHER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")
_DEEPEST: Final = 100


class NotSettings(ValueError):
    """Text that cannot be edited: why, and where."""


@dataclass
class Node:
    """A value and its span; ``members`` are the values inside, ``trailing_comma`` what follows the last."""

    value: Any
    start: int
    end: int
    members: list[Member] = field(default_factory=list)
    trailing_comma: bool = False


@dataclass(frozen=True)
class Member:
    """A value in a container, ``start`` where its key starts, or the value in an array."""

    key: str | None
    start: int
    node: Node


def parse(text: str) -> Node:
    """The document in ``text``. Raises NotSettings: no JSON, a key written twice, nested too deeply."""
    reader = _Reader(text)
    node = reader.value(reader.skip(0), 0)
    end = reader.skip(node.end)
    if end != len(text):
        raise reader.wrong(end, "the document ended before this")
    return node


def has_comment(text: str) -> bool:
    """Whether there is a comment in ``text``, a piece of a document."""
    bare = _STRING.sub("", text)
    return "//" in bare or "/*" in bare


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def wrong(self, at: int, why: str) -> NotSettings:
        line = self._text.count("\n", 0, at) + 1
        return NotSettings(f"line {line}, column {at - self._text.rfind(chr(10), 0, at)}: {why}")

    def skip(self, at: int) -> int:
        found = _BLANK.match(self._text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> Node:
        opener = self._text[at : at + 1]
        if opener in ("{", "["):
            if depth >= _DEEPEST:
                raise self.wrong(at, f"nested more than {_DEEPEST} deep")
            return self._container(at, opener, depth)
        found = (_STRING if opener == '"' else _OTHER).match(self._text, at)
        if found is None:
            raise self.wrong(at, "a value was expected here")
        try:
            return Node(json.loads(found[0]), at, found.end())
        except ValueError:
            raise self.wrong(at, "not a JSON string or number") from None

    def _container(self, at: int, opener: str, depth: int) -> Node:
        node = Node({} if opener == "{" else [], at, at)
        closer, at = "}" if opener == "{" else "]", self.skip(at + 1)
        while self._text[at : at + 1] != closer:
            if node.members and not node.trailing_comma:
                raise self.wrong(at, f"`,` or `{closer}` was expected here")
            member = self._member(at, opener, depth)
            if isinstance(node.value, list):
                node.value.append(member.node.value)
            elif member.key in node.value:
                raise self.wrong(member.start, f"the key {json.dumps(member.key)} is there twice")
            else:
                node.value[member.key] = member.node.value
            node.members.append(member)
            at = self.skip(member.node.end)
            node.trailing_comma = self._text[at : at + 1] == ","
            at = self.skip(at + 1) if node.trailing_comma else at
        node.end = at + 1
        return node

    def _member(self, at: int, opener: str, depth: int) -> Member:
        if opener == "[":
            return Member(None, at, self.value(at, depth + 1))
        if self._text[at : at + 1] != '"':
            raise self.wrong(at, "a key in double quotes was expected here")
        key = self.value(at, depth)
        colon = self.skip(key.end)
        if self._text[colon : colon + 1] != ":":
            raise self.wrong(colon, "`:` was expected here")
        return Member(key.value, at, self.value(self.skip(colon + 1), depth + 1))
