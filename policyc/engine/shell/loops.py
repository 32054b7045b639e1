"""What a loop may change before its next turn."""

from __future__ import annotations

import re
from collections.abc import Container

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.tree import (
    AndOr,
    Arithmetic,
    Branches,
    Expression,
    Function,
    Literal,
    Loop,
    Node,
    Redirected,
    Sequence,
    Simple,
    Word,
)

_NAME = lazy_pattern(r"-?([A-Za-z_]\w*)", re.ASCII)
_SET = lazy_pattern(r"([A-Za-z_]\w*)\+?=", re.ASCII)
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
_DECLARING = frozenset({"export", "declare", "local", "typeset", "readonly"})
_RUNNING = frozenset({"eval", "source", ".", "set", "shift", "command", "builtin"})

#: What ``assigned_in`` finds beside names: any variable, the working folder, a way out before the end.
ANYTHING, FOLDER, JUMP = "", "/", "<"


def assigned_in(node: Node, functions: Container[str]) -> dict[str, bool]:
    """The names that a node assigns in this shell, and ANYTHING, FOLDER or JUMP.

    True stands with a name that gets nothing but what arithmetic may read.
    """
    found: dict[str, bool] = {}
    waiting: list[Node] = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Simple):
            _simple(node, found, functions)
        elif isinstance(node, Expression):
            for name in node.assigns:
                found.setdefault(name, True)
        else:
            if isinstance(node, Loop) and node.name is not None:
                _set(found, node.name, node.words or ["["])
            waiting += _children(node)
    return found


def _set(found: dict[str, bool], name: str, value: str | Word | list[str | Word]) -> None:
    words = value if isinstance(value, list) else [value]
    found[name] = found.get(name, True) and all(map(_is_tame, words))


def _is_tame(word: str | Word) -> bool:
    """Whether the word is made of numbers and of text without a subscript."""
    parts = [Literal(word, True)] if isinstance(word, str) else word.parts
    return all(
        isinstance(part, Arithmetic) or (isinstance(part, Literal) and "[" not in part.text) for part in parts
    )


def _simple(node: Simple, found: dict[str, bool], functions: Container[str]) -> None:
    for assignment in node.assignments:
        _set(found, assignment.name, assignment.value)
    program = node.words[0] if node.words else ":"
    if not isinstance(program, str) or program in _RUNNING or program in functions:
        found[ANYTHING] = found[FOLDER] = False
    elif program in ("cd", "pushd", "popd"):
        found[FOLDER] = False
    elif program in ("break", "continue", "return"):
        found[JUMP] = False
    elif program in _SETTING:
        for word in node.words[1:]:
            match = _NAME.match(word) if isinstance(word, str) else None
            if match is not None:
                tame = program == "let" or (program in _DECLARING and "[" not in str(word))
                found[match.group(1)] = found.get(match.group(1), True) and tame
            elif not isinstance(word, str):
                _declared(word, found)


def _declared(word: Word, found: dict[str, bool]) -> None:
    """``local x=$((1 + 2))``: the name is in the first part, or cannot be seen."""
    first = word.parts[0] if word.parts else None
    match = _SET.match(first.text) if isinstance(first, Literal) else None
    if match is None:
        found[ANYTHING] = False
    else:
        _set(found, match.group(1), word)


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
