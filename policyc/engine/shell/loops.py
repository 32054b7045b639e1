"""What a loop may change before its next turn."""

from __future__ import annotations

import re
from collections.abc import Container

from policyc.engine.shell.tree import (
    AndOr,
    Branches,
    Expression,
    Function,
    Loop,
    Node,
    Redirected,
    Sequence,
    Simple,
)

_NAME = re.compile(r"-?([A-Za-z_]\w*)", re.ASCII)
_SETTING = frozenset(
    {
        "read",
        "export",
        "declare",
        "local",
        "typeset",
        "readonly",
        "unset",
        "mapfile",
        "readarray",
        "getopts",
        "printf",
        "let",
    }
)
_RUNNING = frozenset({"eval", "source", ".", "set", "shift", "command", "builtin"})

#: What ``assigned_in`` finds beside names: any variable, the working folder, a way out before the end.
ANYTHING, FOLDER, JUMP = "", "/", "<"


def assigned_in(node: Node, functions: Container[str]) -> set[str]:
    """The names that a node assigns in this shell, and ANYTHING, FOLDER or JUMP."""
    found: set[str] = set()
    waiting: list[Node] = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Simple):
            _simple(node, found, functions)
        elif isinstance(node, Expression):
            found.update(node.assigns)
        else:
            if isinstance(node, Loop) and node.name is not None:
                found.add(node.name)
            waiting += _children(node)
    return found


def _simple(node: Simple, found: set[str], functions: Container[str]) -> None:
    found.update(assignment.name for assignment in node.assignments)
    program = node.words[0] if node.words else ":"
    if not isinstance(program, str) or program in _RUNNING or program in functions:
        found.add(ANYTHING)
        found.add(FOLDER)
    elif program in ("cd", "pushd", "popd"):
        found.add(FOLDER)
    elif program in ("break", "continue", "return"):
        found.add(JUMP)
    elif program in _SETTING:
        for word in node.words[1:]:
            match = _NAME.match(word) if isinstance(word, str) else None
            if match is not None:
                found.add(match.group(1))
            elif not isinstance(word, str):
                found.add(ANYTHING)


def _children(node: Node) -> list[Node]:
    if isinstance(node, Sequence):
        return [item for item, _background in node.items]
    if isinstance(node, AndOr):
        return [node.first, *[following for _operator, following in node.rest]]
    if isinstance(node, Branches):
        return [node.head, *node.arms]
    if isinstance(node, Loop):
        return [node.body] if node.head is None else [node.head, node.body]
    if isinstance(node, (Redirected, Function)):
        return [node.body]
    return []  # what a subshell or a stage of a pipeline sets is gone after it
