"""How a scalar is written: the quotes that it needs, and of two kinds always the same one."""

from __future__ import annotations

import re

from policyc.formatting.nodes import Node

#: Words that need no quotes for any reader, YAML 1.1 ones too.
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*\Z")
_SPECIAL = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
#: What ends or begins something in ``[a, b]`` and ``{a: b}``.
_FLOW = re.compile(r"[,\[\]{}]|:\Z|\A[?:-](?![A-Za-z0-9_-])")


def written(node: Node, *, in_flow: bool, bare: bool = True) -> str:
    """The scalar on one line. ``in_flow``: inside brackets. ``bare``: quotes may go where none are needed."""
    if node.style is None:
        return _plain(node, in_flow)
    if "\n" in node.raw or not _is_clear(node.text):
        return node.raw
    if bare and needs_no_quotes(node):
        return node.text
    return quoted(node.text)


def needs_no_quotes(node: Node) -> bool:
    return node.style is None or (
        node.style in "'\"" and bool(_WORD.match(node.text)) and node.text.lower() not in _SPECIAL
    )


def quoted(text: str) -> str:
    """In double quotes, or in single ones where double ones would need escapes."""
    if '"' in text or "\\" in text:
        doubled = text.replace("'", "''")
        return f"'{doubled}'"
    return f'"{text}"'


def is_one_line(node: Node) -> bool:
    return node.style not in ("|", ">") and "\n" not in node.raw


def _plain(node: Node, in_flow: bool) -> str:
    if not node.raw:
        return "null" if in_flow else ""
    if in_flow and _FLOW.search(node.raw):
        return quoted(node.text)
    return node.raw


def _is_clear(text: str) -> bool:
    """Whether a reader sees every character as it is; others stay escapes, where they are."""
    return text.isascii() and text.isprintable()
