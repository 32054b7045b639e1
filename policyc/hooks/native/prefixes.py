"""Command prefixes: rules that deny a program, or a program with its first words, whatever follows.

``shell: {program: git, args: [push]}`` says of every argument list that starts with ``git push`` that it is
denied. It says more (``git -C x push``, a push inside ``sh -c``), so an agent's prefix is a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Final

from policyc.engine.alternatives import listed
from policyc.engine.shell import compile as compile_shell
from policyc.engine.shell import shell_facts
from policyc.engine.shell.interpreters import SHELLS
from policyc.engine.shell.wrappers_table import WRAPPERS

_WORD: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/@+-]*")
_MOST: Final = 64
_WINDOWS_SHELLS: Final = frozenset(
    f"{name}{end}" for name in ("cmd", "powershell", "pwsh") for end in ("", ".exe")
)
#: An agent may hand a line that it cannot take apart to one of these, and would then match its own wrapper.
_SHELLS: Final = SHELLS | {"fish", "csh", "tcsh", "busybox"} | _WINDOWS_SHELLS
_PROBES: Final = ("", " x", " -x", " --x=y z", " -- x", " x -- -y", " x y z")


def prefixes(clauses: list[Mapping[str, Any]]) -> list[tuple[str, ...]] | None:
    """The prefixes that ``clauses``, all of a rule's, are about; None where they ask for more or other."""
    if len(clauses) != 1 or not _is_plain(clauses[0]):
        return None
    value = clauses[0]["value"]
    positions = [listed(value["program"]), *map(listed, _args(value.get("args", [])))]
    found = [tuple(map(str, words)) for words in _bounded(positions)]
    usable = found and all(_is_usable(words, value) for words in found)
    return found if usable else None


def _is_plain(clause: Mapping[str, Any]) -> bool:
    value = clause["value"]
    return (
        clause["op"] == "shell"
        and clause["path"] == "$.command"
        and clause["match"] == "any"
        and not clause["not"]
        # A line of which some part cannot be known must still match.
        and clause.get("unknown") != "no_match"
        and "program" in value
        and set(value) <= {"program", "args"}
    )


def _args(value: object) -> list[object]:
    return list(value.split()) if isinstance(value, str) else list(value)  # type: ignore[call-overload]


def _bounded(positions: list[list[object]]) -> Iterator[tuple[object, ...]]:
    size = 1
    for alternatives in positions:
        size *= len(alternatives)
    return product(*positions) if size <= _MOST else iter(())


def _is_usable(words: tuple[str, ...], value: dict[str, object]) -> bool:
    program = words[0]
    if not all(map(_WORD.fullmatch, words)) or "/" in program:
        return False
    wrapper = WRAPPERS.get(program)
    if program in _SHELLS or (wrapper is not None and wrapper.silent):
        return False
    # The engine is asked as well: some programs read their first words in a way of their own.
    denies = compile_shell(value)
    line = " ".join(words)
    return all(denies(shell_facts(line + rest, cwd="/"), "any") is True for rest in _PROBES)
