"""Nodes to lines: two spaces for each level, comments where they belong, an empty line between rules."""

from __future__ import annotations

from policyc.formatting.block_scalars import scalar_lines
from policyc.formatting.nodes import MAPPING, SCALAR, SEQUENCE, Comment, Entry, Node
from policyc.formatting.scalars import written
from policyc.formatting.styles import WIDTH, are_bare, is_filled, items, key_text, one_line

_STEP = 2


def lines_of(node: Node, indent: int = 0) -> list[str]:
    """The entries of a collection, each on lines of its own."""
    lines: list[str] = []
    tall = False
    for entry in node.entries:
        above, body = _entry_lines(node, entry, indent)
        between = node.definition == "rules" and (tall or len(body) > 1)
        if lines and lines[-1] and (between or (entry.blank_above and not _is_dense(node))):
            lines.append("")
        lines += [*above, *body]
        tall = len(body) > 1
    for comment in node.foot:
        if lines[-1] and comment.blank and not _is_dense(node):
            lines.append("")
        lines.append(_pad(indent) + comment.text)
    return lines


def comment_lines(comments: list[Comment], indent: int) -> list[str]:
    """Comments of their own lines, with the empty lines between them."""
    lines: list[str] = []
    for comment in comments:
        if lines and comment.blank:
            lines.append("")
        lines.append(_pad(indent) + comment.text)
    return lines


def _entry_lines(parent: Node, entry: Entry, indent: int) -> tuple[list[str], list[str]]:
    """The comments above an entry, and the entry."""
    start = _pad(indent) + ("-" if entry.key is None else key_text(entry.key))
    if entry.value.anchor is not None:
        start += f" &{entry.value.anchor}"
    side = [*entry.tail, *entry.head]
    body, place = _body(parent, entry.value, start, indent)
    if side and place is not None:
        body[place] += f"  {side.pop(0).text}"
    lines = comment_lines([*entry.leading, *side], indent)
    if entry.leading and entry.blank and not _is_dense(parent):
        lines.append("")
    return lines, body


def _body(parent: Node, value: Node, start: str, indent: int) -> tuple[list[str], int | None]:
    """The lines of an entry, and which of them a comment can stand behind."""
    room = WIDTH - len(start) - 1
    line = _item(parent, value, room) if parent.kind == SEQUENCE else one_line(value, room)
    if line is not None:
        return [f"{start} {line}" if line else start], 0
    inside = indent + _STEP
    if value.kind == SCALAR:
        first, *rest = scalar_lines(value, parent.column, inside)
        return [f"{start} {first}", *rest], None if value.style in ("|", ">") else -1
    if is_filled(value) and parent.kind == MAPPING:
        return [start, *_filled(value, inside)], 0
    inner = lines_of(value, inside)
    if parent.kind == MAPPING or value.anchor is not None:
        return [start, *inner], 0
    return [f"{start} {inner[0].lstrip()}", *inner[1:]], None


def _item(parent: Node, value: Node, room: int) -> str | None:
    """An item on one line; quotes go from all scalars of a list or from none."""
    line = one_line(value, room)
    if value.kind != SCALAR or line is None:
        return line
    return written(value, in_flow=False, bare=are_bare(parent)) or "null"


def _filled(node: Node, indent: int) -> list[str]:
    lines = [""]
    texts = items(node)
    for place, text in enumerate(texts):
        piece = text + ("]" if place == len(texts) - 1 else ",")
        if lines[-1] and indent + 1 + len(lines[-1]) + 1 + len(piece) > WIDTH:
            lines.append("")
        lines[-1] += f" {piece}" if lines[-1] else piece
    return [_pad(indent) + ("[" if place == 0 else " ") + line for place, line in enumerate(lines)]


def _is_dense(node: Node) -> bool:
    """Whether the author's empty lines go: inside rules."""
    return node.in_rule or node.definition == "rule"


def _pad(indent: int) -> str:
    return " " * indent
