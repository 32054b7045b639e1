"""Many tool-name globs at once: which of them cover a name?"""

from __future__ import annotations

from policyc.engine.regex import PatternSet, escape
from policyc.engine.text import clean


class GlobIndex:
    """Which entries have a glob that covers a name, without trying each glob.

    Exact names, prefixes (``crm.*``) and suffixes (``*.read``) are dictionary look-ups; the rest is one
    RE2 set. ``entries`` is a list of globs per entry, ``None`` for "every name".
    """

    __slots__ = ("_every", "_exact", "_prefixes", "_rest", "_rest_entries", "_suffixes")

    def __init__(self, entries: list[tuple[str, ...] | None]) -> None:
        self._every: list[int] = []
        self._exact: dict[str, list[int]] = {}
        self._prefixes: dict[int, dict[str, list[int]]] = {}
        self._suffixes: dict[int, dict[str, list[int]]] = {}
        self._rest_entries: list[int] = []
        rest: list[str] = []
        for entry, patterns in enumerate(entries):
            for pattern in ("*",) if patterns is None else patterns:
                self._add(entry, pattern, rest)
        self._rest = PatternSet([_as_regex(pattern) for pattern in rest], full_match=True) if rest else None

    def _add(self, entry: int, pattern: str, rest: list[str]) -> None:
        stars = pattern.count("*")
        if stars == len(pattern):
            self._every.append(entry)
        elif stars == 0:
            self._exact.setdefault(pattern, []).append(entry)
        elif stars == 1 and pattern.endswith("*"):
            self._prefixes.setdefault(len(pattern) - 1, {}).setdefault(pattern[:-1], []).append(entry)
        elif stars == 1 and pattern.startswith("*"):
            self._suffixes.setdefault(len(pattern) - 1, {}).setdefault(pattern[1:], []).append(entry)
        else:
            rest.append(pattern)
            self._rest_entries.append(entry)

    def lookup(self, names: tuple[str, ...]) -> list[int]:
        """The entries that cover any of ``names``, ascending, each once."""
        found = set(self._every)
        for raw in names:
            name = clean(raw)
            found.update(self._exact.get(name, ()))
            for length, table in self._prefixes.items():
                found.update(table.get(name[:length], ()))
            for length, table in self._suffixes.items():
                if length <= len(name):
                    found.update(table.get(name[len(name) - length :], ()))
            if self._rest is not None:
                found.update(self._rest_entries[hit] for hit in self._rest.scan(name))
        return sorted(found)


def _as_regex(pattern: str) -> str:
    return "(?s:.*)".join(escape(piece) for piece in pattern.split("*"))
