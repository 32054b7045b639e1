"""A JSON text with another value: what stays equal keeps its characters, its order and its comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from policyc.hooks.settings.json_text import Member, Node, NotSettings, has_comment, parse

#: Text to put in place of a span.
Edit = tuple[int, int, str]
#: A value to put in, and its key where that is an object.
Added = tuple[str | None, Any]
_INDENT: Final = re.compile(r'\n([ \t]+)["\]}\[{]')


def rewritten(text: str, new: Any) -> str:
    """``text`` with the value ``new``. Raises NotSettings where that would lose a comment."""
    node = parse(text)
    result = _applied(text, _Editor(text).edits(node, new))
    if not _same(parse(result).value, new):
        raise NotSettings("the change cannot be made without touching the rest")
    return result


def written(new: Any) -> str:
    """The text of a new file."""
    return json.dumps(new, indent=2, ensure_ascii=False) + "\n"


def _applied(text: str, edits: Iterator[Edit]) -> str:
    pieces, done = [], 0
    for start, end, replacement in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [text[done:start], replacement]
        done = end
    return "".join([*pieces, text[done:]])


class _Editor:
    def __init__(self, text: str) -> None:
        self._text = text
        self._newline = "\r\n" if "\r\n" in text else "\n"
        found = _INDENT.search(text)
        self._unit = found[1] if found else "  "

    def edits(self, node: Node, new: Any) -> Iterator[Edit]:
        if _same(node.value, new):
            return
        if isinstance(node.value, dict) and isinstance(new, dict) and node.members:
            yield from self._object(node, new)
        elif isinstance(node.value, list) and isinstance(new, list) and node.members:
            yield from self._array(node, new)
        else:
            self._check(node.start, node.end)
            yield node.start, node.end, self._rendered(new, self._line_indent(node.start))

    def _object(self, node: Node, new: dict[str, Any]) -> Iterator[Edit]:
        for member in node.members:
            if member.key in new:
                yield from self.edits(member.node, new[member.key])
        added: list[Added] = [(key, value) for key, value in new.items() if key not in node.value]
        removed = [member for member in node.members if member.key not in new]
        yield from self._membership(node, removed, added)

    def _array(self, node: Node, new: list[Any]) -> Iterator[Edit]:
        old, head = node.value, 0
        while head < min(len(old), len(new)) and _same(old[head], new[head]):
            head += 1
        tail = 0
        while tail < min(len(old), len(new)) - head and _same(old[-1 - tail], new[-1 - tail]):
            tail += 1
        middle, wanted = node.members[head : len(old) - tail], new[head : len(new) - tail]
        for member, value in zip(middle, wanted, strict=False):
            yield from self.edits(member.node, value)
        added: list[Added] = [(None, value) for value in wanted[len(middle) :]]
        before = node.members[len(old) - tail] if tail else None
        yield from self._membership(node, middle[len(wanted) :], added, before)

    def _membership(
        self,
        node: Node,
        removed: list[Member],
        added: list[Added],
        before: Member | None = None,
    ) -> Iterator[Edit]:
        """The edits that take members out of a container and put others in, at its end or ``before`` one."""
        kept = [member for member in node.members if member not in removed]
        indent = self._member_indent(node)
        gap = f"{self._newline}{indent}" if self._is_spread(node) else " "
        texts = [self._member(key, value, indent if self._is_spread(node) else None) for key, value in added]
        if not kept:
            self._check(node.start, node.end)
            inner = f",{gap}".join(texts)
            close = f"{self._newline}{self._line_indent(node.start)}" if self._is_spread(node) else ""
            yield node.start + 1, node.end - 1, f"{gap if close else ''}{inner}{close}" if texts else ""
            return
        for member in removed:
            yield self._removal(node, member, kept)
        if texts and before is not None:
            yield before.start, before.start, "".join(f"{text},{gap}" for text in texts)
        elif texts:
            if not node.trailing_comma:
                yield kept[-1].node.end, kept[-1].node.end, ","
            at = node.start + len(self._text[node.start : node.end - 1].rstrip())
            at = max(at, node.members[-1].node.end)
            yield at, at, gap + f",{gap}".join(texts) + ("," if node.trailing_comma else "")

    def _removal(self, node: Node, member: Member, kept: list[Member]) -> Edit:
        at = node.members.index(member)
        if member.start < kept[-1].start:
            start, end = member.start, node.members[at + 1].start
        else:
            start, end = node.members[at - 1].node.end, member.node.end
        self._check(start, end)
        return start, end, ""

    def _check(self, start: int, end: int) -> None:
        if has_comment(self._text[start:end]):
            raise NotSettings("a comment stands where an entry of an earlier run must go")

    def _member(self, key: str | None, value: Any, indent: str | None) -> str:
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        return name + self._rendered(value, indent)

    def _rendered(self, value: Any, indent: str | None) -> str:
        """``value`` over several lines, or in one where ``indent`` is None."""
        if indent is None:
            return json.dumps(value, ensure_ascii=False)
        text = json.dumps(value, indent=self._unit, ensure_ascii=False)
        return text.replace("\n", f"{self._newline}{indent}")

    def _is_spread(self, node: Node) -> bool:
        return "\n" in self._text[node.start : node.end]

    def _member_indent(self, node: Node) -> str:
        if node.members and self._is_spread(node):
            return self._line_indent(node.members[0].start)
        return self._line_indent(node.start) + self._unit

    def _line_indent(self, at: int) -> str:
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]


def _same(left: Any, right: Any) -> bool:
    # True is 1 in Python, and is another value here.
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
