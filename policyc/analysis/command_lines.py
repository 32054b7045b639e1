"""Command lines that have what a ``shell`` value names: samples, which the real evaluator then judges."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from policyc.analysis.budget import Budget, Exhausted
from policyc.analysis.languages import searched, shortest
from policyc.engine.alternatives import alternatives, listed

#: Alternatives of one key that are combined with those of the others, and lines of one value.
_EACH = {"program": 12}
_FEW = 3
_LINES = 60
#: States of one pattern's automaton.
_STATES = 20_000

#: What runs where no program is named: what a key asks for needs one that can.
_PROGRAMS: Final = {
    "code": ["python3", "node", "bash", "psql"],
    "deletes": ["rm -r", "rm"],
    "reads": ["cat"],
    "writes": ["tee", "cp x"],
    "pipes_to": ["echo x"],
}


def lines_for(value: dict[str, Any]) -> list[str]:
    """Lines for which the value may hold, the plainest first."""
    if value.get("dynamic"):
        return _dynamic(value)
    programs = _words(value["program"]) if "program" in value else _program(value)
    parts = [programs, _arguments(value), _flags(value), _operands(value), _effects(value), _pipes(value)]
    combined = _diagonally(parts) if value.keys() - {"program"} else ((each,) for each in programs)
    lines = (" ".join(word for word in words if word) for words in combined)
    return list(dict.fromkeys(itertools.islice(lines, _LINES)))


def words_of(alternative: str) -> list[str]:
    """Words that an alternative of a text key covers."""
    if alternative in ("*", "**"):
        return ["a"]
    spelt = [alternative.replace("*", ""), alternative.replace("*", "a")]
    return [word for word in dict.fromkeys(spelt) if word]


def path_of(glob: str) -> str:
    """A path that a path glob covers."""
    path = glob.replace("**/", "").replace("**", "a").replace("*", "a").replace("?", "a")
    return path + "a" if path.endswith("/") else path


@lru_cache(maxsize=4096)
def text_of(pattern: str) -> str:
    """A text that the pattern matches, the shortest where that is soon known; empty where none is found."""
    language = searched(pattern)
    try:
        return language.example or shortest([(language, True)], Budget(states=_STATES)) or ""
    except Exhausted:
        return ""


def closed(text: str) -> str:
    """``text`` with the quotes and substitutions closed that it leaves open: a line that can be parsed."""
    for mark in ("`", "'", '"'):
        text += mark * (text.count(mark) % 2)
    return text + ")" * (text.count("(") - text.count(")"))


def _words(value: Any, most: int = _EACH["program"]) -> list[str]:
    wanted, _ = alternatives(value)
    found = [word for text in wanted[:most] for word in words_of(text)]
    return [word for word in found if f"!{word}" not in listed(value)] or ["x"]


def _program(value: dict[str, Any]) -> list[str]:
    return [*next((programs for key, programs in _PROGRAMS.items() if key in value), []), "x"]


def _arguments(value: dict[str, Any]) -> list[str]:
    expected = value.get("args", [])
    positions = expected.split() if isinstance(expected, str) else expected
    if not positions:
        return [""]
    return [" ".join(map(shlex.quote, words)) for words in _diagonally([_words(each) for each in positions])]


def _flags(value: dict[str, Any]) -> list[str]:
    every = [
        shlex.join(words)
        for words in _diagonally([_flag(str(each)) for each in listed(value.get("all_flags", []))])
    ]
    some = [flag for each in listed(value.get("any_flag", [])) for flag in _flag(str(each))]
    return (
        [f"{flag} {needed}".strip() for flag in map(shlex.quote, some or [""]) for needed in every or [""]]
        if some
        else every or [""]
    )


def _flag(flag: str) -> list[str]:
    name, equals, given = flag.partition("=")
    spelt = [word for word in words_of(name) if word.strip("-+")] or [name]
    if not equals:
        return spelt
    return [f"{word}={text}" for word in spelt for text in words_of(given) or [""]]


def _operands(value: dict[str, Any]) -> list[str]:
    return [shlex.quote(word) for word in _words(value["operand"], _FEW)] if "operand" in value else [""]


def _effects(value: dict[str, Any]) -> list[str]:
    """Paths, as operands or as what the line is redirected from and to; code, as the interpreters take it."""
    found = [""]
    for key, marks in (("deletes", [""]), ("reads", ["", "< "]), ("writes", ["", "> ", "-o "])):
        if key in value:
            paths = [_unexpanded(path_of(glob)) for glob in alternatives(value[key])[0][: _FEW * 2]]
            found = [f"{before} {mark}{path}".strip() for before in found for path in paths for mark in marks]
    if "code" in value:
        texts = [shlex.quote(text_of(str(pattern)) or "x") for pattern in listed(value["code"])]
        found = [f"{mark}{text} {before}".strip() for before in found for text in texts for mark in _OF_CODE]
    return found


#: How programs take their code.
_OF_CODE: Final = ("-c ", "-e ", "", "--eval ", "<<< ")


def _unexpanded(path: str) -> str:
    """Quoted, but for the tilde that stands for a home."""
    return "~" + shlex.quote(path[1:]) if path[:1] == "~" and len(path) > 1 else shlex.quote(path)


def _pipes(value: dict[str, Any]) -> list[str]:
    return [f"| {shlex.quote(word)}" for word in _words(value["pipes_to"])] if "pipes_to" in value else [""]


def _dynamic(value: dict[str, Any]) -> list[str]:
    program = _words(value["program"])[0] if "program" in value else "x"
    return [
        "$x",
        f"{program} $x",
        f"{program} $x-f",
        f'{program} "$x"',
        'python3 -c "$x"',
        'cat "$x"',
        "rm $x",
    ]


def _diagonally(parts: list[list[str]]) -> Iterator[tuple[str, ...]]:
    """Every alternative of every part at least once, then the other combinations."""
    longest = max((len(part) for part in parts), default=0)
    for place in range(longest):
        yield tuple(part[place % len(part)] for part in parts)
    yield from itertools.product(*parts)
