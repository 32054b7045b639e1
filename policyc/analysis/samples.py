"""Values to try where a question is open: made from what its clause names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from policyc.analysis.command_lines import lines_for, path_of, text_of
from policyc.analysis.conditions import NO_DESTINATION, Path, Question
from policyc.engine.paths import is_singular

#: A URL of which nobody can tell the host, and a path that depends on where it is used.
_NO_HOST = "http://["
_RELATIVE = "../x"


def samples_for(question: Question) -> Iterator[tuple[Path, list[Any]]]:
    """Paths that the question looks at, and values there that may answer it one way or another."""
    clause = question.clause
    if clause is None:
        if question.key == NO_DESTINATION:
            yield ("destination",), ["example.com"]
        elif question.key.startswith('["egress"'):
            lists = json.loads(question.key)[1].values()
            yield ("destination",), [*_hosts([entry for entries in lists for entry in entries]), "10.0.0.1"]
        return
    made = [*_SAMPLES.get(clause.op, _listed)(clause.value), "x", ""]
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
    if steps[:1] == [["descent"]]:
        yield ("a",), values
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


def _texts(value: Any) -> list[Any]:
    return [text_of(value)]


def _paths(value: Any) -> list[Any]:
    return [path_of(glob.lstrip("!")) for glob in _listed(value) if isinstance(glob, str)]


def _paths_and_none(value: Any) -> list[Any]:
    return [*_paths(value), _RELATIVE]


def _hosts(value: Any) -> list[Any]:
    names = [entry.replace("*", "a").partition("/")[0] for entry in _listed(value) if isinstance(entry, str)]
    return [*names, *(f"https://{name}/" for name in names), "https://example.com/", _NO_HOST]


def _shell(value: Any) -> list[Any]:
    return [*lines_for(value), "$x", "ls"] if isinstance(value, dict) else []


_SAMPLES = {"path": _paths_and_none, "host": _hosts, "shell": _shell, "regex": _texts}
