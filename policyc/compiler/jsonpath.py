"""JSONPath text to the steps the engine runs; parsed by jsonpath-ng, reduced to an allowlist of its nodes.

jsonpath-ng takes much that is not JSONPath (``parent``, ``where``, ``|`` with a surprising precedence, a path
without ``$``). What is not on the list is refused with a hint, never half understood.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

Step = list[Any]
#: Characters and steps of a path. Longer ones are mistakes.
MAX_LENGTH = 500
_MAX_INDEX = 2**31

_BARE_FIELD = re.compile(r"\.\s*([^\W\d][\w]*)")
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_OPERATOR = re.compile(r"[|&~`]")
_HINTS = (
    (re.compile(r"\[\s*\?|\?\s*\("), "filters are not part of it: add a clause instead"),
    (re.compile(r"\[\s*\("), "scripts are not part of it"),
    (re.compile(r"`"), "named operators such as `parent` are not part of it"),
    (re.compile(r"[|&]"), "unions are not part of it: write two rules, or $['a', 'b'] for two fields"),
    (
        re.compile(r"\bwhere(not)?\b"),
        "`where` is not part of it: add a clause; a field of that name is $['where']",
    ),
    (re.compile(r"~"), "`~` is not part of it"),
    (re.compile(r"\.\s*$"), "remove the dot at the end"),
    (re.compile(r"\[\s*\]"), "write [*] for every item"),
)


class JSONPathError(ValueError):
    """A path that cannot be used: the message says why, ``hint`` what to write instead."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def compile_path(text: str) -> list[Step]:
    """The steps of ``text``, for the engine. Raises JSONPathError. The result is shared: do not change it."""
    steps, problem, hint = _compile(text)
    if problem is not None:
        raise JSONPathError(problem, hint)
    return steps


@lru_cache(maxsize=65536)
def _compile(text: str) -> tuple[list[Step], str | None, str | None]:
    """Steps, or a message and a hint: errors are values here, so that they are remembered too."""
    try:
        return _checked(text), None, None
    except JSONPathError as error:
        return [], str(error), error.hint


def _checked(text: str) -> list[Step]:
    if not text:
        raise JSONPathError("the path is empty", "write `$` for the arguments as a whole")
    if not text.startswith("$"):
        raise JSONPathError("the path does not start with `$`", _rooted(text))
    if len(text) > MAX_LENGTH:
        raise JSONPathError(f"the path has {len(text)} characters; {MAX_LENGTH} are the most")
    operator = _OPERATOR.search(_QUOTED.sub("", text))
    if operator is not None:  # jsonpath-ng would take it, give it a surprising precedence, and warn
        name = "a named operator" if operator[0] == "`" else f"the operator `{operator[0]}`"
        raise JSONPathError(f"the path has {name}, which is not taken", _hint(text))
    return _steps(_parse(text), text)


def _rooted(text: str) -> str | None:
    if text.startswith("("):
        return None
    if text.startswith("@"):
        return f"write `${text[1:60]}`: a path starts at the arguments"
    return f"write `${text[:60]}`" if text.startswith((".", "[")) else f"write `$.{text[:60]}`"


_lock = threading.Lock()
_parser: Any = None


def _parse(text: str) -> Any:
    global _parser
    # The import takes longer than the check of most bundles; the parser is not thread-safe.
    from jsonpath_ng.parser import JsonPathParser

    with _lock:
        if _parser is None:
            _parser = JsonPathParser()
        try:
            return _parser.parse(text)
        except (
            Exception
        ) as error:  # a parser for other people's text: jsonpath-ng raises bare ValueErrors too
            raise JSONPathError(_said(str(error)), _hint(text)) from None


#: What jsonpath-ng says -> what we say: its wording is not ours to promise.
_SAID = (
    (re.compile(r"Unexpected character: (.)", re.DOTALL), "`{}` is not expected in a path"),
    (re.compile(r"near token (.+) \(.+\)\Z", re.DOTALL), "`{}` is not expected there"),
    (re.compile(r"near the end|Unexpected EOF"), "the path ends too early"),
)


def _said(text: str) -> str:
    for pattern, words in _SAID:
        found = pattern.search(text)
        if found is not None:
            return words.format(*(part[:30] for part in found.groups()))
    return "this is no JSONPath"


def _hint(text: str) -> str | None:
    bare = _QUOTED.sub("", text)
    for pattern, hint in _HINTS:
        if pattern.search(bare):
            return hint
    field = next((found[1] for found in _BARE_FIELD.finditer(text) if not found[1].isascii()), None)
    if field is not None:
        return f"a field that is not plain ASCII is quoted: $['{field}']"
    return "a field with other characters than letters, digits, `_` and `-` is quoted: $['a b']"


def _steps(node: Any, text: str) -> list[Step]:
    """Flattened from the right: the left side of a child or descent is the rest of the path."""
    steps: list[Step] = []
    pending = [node]
    while pending:
        node = pending.pop()
        kind = type(node).__name__
        if kind in ("Child", "Descendants"):
            # Popped in reverse: right side first, then what is between, then the left side.
            pending += [node.left, *(["descent"] if kind == "Descendants" else []), node.right]
        elif node == "descent":
            steps.append(["descent"])
        elif kind == "Root":
            if pending:
                raise JSONPathError("the path has `$` in the middle", "`$` stands at the start only")
        elif kind in _NODES:
            steps.append(_NODES[kind](node))
        else:
            raise JSONPathError(f"the path has `{kind.lower()}`, which is not taken", _hint(text))
    return steps[::-1]


def _fields(node: Any) -> Step:
    return ["field", node.fields[0]] if len(node.fields) == 1 else ["fields", list(node.fields)]


def _indexes(node: Any) -> Step:
    indexes = [_bounded(index) for index in node.indices]
    return ["index", indexes[0]] if len(indexes) == 1 else ["indexes", indexes]


def _slice(node: Any) -> Step:
    if node.step == 0:
        raise JSONPathError("a slice cannot have the step 0")
    return ["slice", _bounded(node.start), _bounded(node.end), _bounded(node.step)]


def _bounded(index: Any) -> Any:
    if index is not None and abs(index) >= _MAX_INDEX:
        raise JSONPathError(f"the index {str(index)[:20]} is out of range")
    return index


_NODES: dict[str, Callable[[Any], Step]] = {
    "Fields": _fields,
    "Index": _indexes,
    "Slice": _slice,
    "Wildcard": lambda _node: ["wildcard"],
}
