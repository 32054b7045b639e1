"""Scalars of several lines, moved to another indentation."""

from __future__ import annotations

import re

from policyc.formatting.nodes import Node

_HEADER = re.compile(r"(?P<kind>[|>])(?P<marks>[-+1-9]*)(?P<rest>.*)\Z")


def scalar_lines(node: Node, column: int, indent: int) -> list[str]:
    """The scalar's lines; those after the first begin at ``indent``. ``column``: where its parent stood."""
    if node.style in ("|", ">"):
        return _block(node, column, indent)
    first, *rest = node.raw.split("\n")
    # Space at the begin of a line of a quoted or plain scalar is no part of it.
    return [
        first,
        *(
            _indented(line.strip(" \t") if node.style is None else line.lstrip(" \t"), indent)
            for line in rest
        ),
    ]


def _block(node: Node, column: int, indent: int) -> list[str]:
    header, *content = node.raw.split("\n")
    if content and not content[-1]:
        content.pop()
    match = _HEADER.match(header)
    assert match is not None
    digits = match["marks"].strip("+-")
    before = column + int(digits) if digits else _indentation(content)
    lines = [_indented(line[before:], indent) for line in content]
    keep = _chomping(node.text)
    while keep != "+" and lines and not lines[-1]:
        lines.pop()
    return [f"{match['kind']}{'2' if digits else ''}{keep}{match['rest'].rstrip()}", *lines]


def _chomping(text: str) -> str:
    """How the scalar ends is said by what it means: a line may come to stand behind it that was not there."""
    body = text.rstrip("\n")
    if len(text) - len(body) > 1 or (text and not body):
        return "+"
    return "" if text.endswith("\n") else "-"


def _indentation(lines: list[str]) -> int:
    return next((len(line) - len(line.lstrip(" ")) for line in lines if line.strip(" ")), 0)


def _indented(text: str, indent: int) -> str:
    return " " * indent + text if text else ""
