"""Values to try where a question is open: made from what its clause names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from policyc.analysis.conditions import Path, Question
from policyc.engine.paths import is_singular


def samples_for(question: Question) -> Iterator[tuple[Path, list[Any]]]:
    """Paths that the question looks at, and values there that may answer it one way or another."""
    clause = question.clause
    if clause is None:
        if question.key.startswith('["egress"'):
            yield ("destination",), ["example.com", "10.0.0.1", "169.254.169.254"]
        return
    made = [*_SAMPLES.get(clause.op, _plain)(clause.value), "x", ""]
    if question.path is not None:
        yield question.path, made
    if clause.op == "path":
        # A command line names files too.
        yield ("command",), [f"cat {path}" for path in made if path]
    if not is_singular(clause.steps):
        yield from _several(clause.steps, made)


def _several(steps: list[list[Any]], values: list[Any]) -> Iterator[tuple[Path, list[Any]]]:
    """A path that selects several values, with one and with two of them there."""
    head: list[str | int] = []
    for step in steps:
        if step[0] in ("wildcard", "slice", "index", "indexes"):
            yield tuple(head), [[], *([value] for value in values), *([value, "y"] for value in values)]
            return
        if step[0] == "field":
            head.append(step[1])
        elif step[0] == "fields":
            head.append(step[1][0])
    if head:
        yield tuple(head), values


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _plain(value: Any) -> list[Any]:
    return _listed(value)


def _paths(value: Any) -> list[Any]:
    return [
        glob.replace("**/", "").replace("**", "a").replace("*", "a").replace("?", "a").lstrip("!")
        for glob in _listed(value)
        if isinstance(glob, str)
    ]


def _hosts(value: Any) -> list[Any]:
    names = [entry.replace("*", "a").partition("/")[0] for entry in _listed(value) if isinstance(entry, str)]
    return [*names, *(f"https://{name}/" for name in names), "https://example.com/"]


def _shell(value: Any) -> list[Any]:
    """A command line that has what the keys name."""
    if not isinstance(value, dict):
        return []

    def first(key: str) -> list[str]:
        return [
            word for word in _listed(value.get(key, [])) if isinstance(word, str) and not word.startswith("!")
        ]

    program = (first("program") or ["true"])[0].replace("*", "a")
    words = [program, *first("args"), *first("all_flags"), *first("any_flag")[:1]]
    for key in ("operand", "deletes", "writes", "reads"):
        words += _paths(first(key))[:1]
    line = " ".join(words)
    return [line, program, f"{line}; true", "$x", "ls", *([f"python3 -c '{c}'" for c in first("code")[:1]])]


_SAMPLES = {"path": _paths, "host": _hosts, "shell": _shell}
