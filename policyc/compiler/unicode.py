"""Unicode as RE2 knows it: groups of characters, and the cases of a letter.

The table beside this module was asked of google-re2, character by character, so that a pattern that is
written out matches what RE2 matches. ``python -m policyc.compiler.unicode`` asks again, for the groups that
the table has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

Range = tuple[int, int]

TABLE = Path(__file__).with_suffix(".json")
#: The groups whose characters may have other cases; RE2 folds nothing outside them.
_CASED = "LlLmLtLuMnNlSo"
#: The groups of which the name of a capture is made, beside ``_``.
_NAMES = ("L", "Mc", "Mn", "Nd", "Nl", "Pc")


@cache
def group(name: str) -> tuple[Range, ...] | None:
    r"""The code points of ``\p{name}``, or None where RE2 has no such group."""
    written = _table()["groups"].get(name)
    return None if written is None else tuple(_read(written))


def cases(low: int, high: int) -> list[Range]:
    """The other cases of every code point from ``low`` to ``high``."""
    orbits = _orbits()
    codes = orbits if high - low > len(orbits) else range(low, high + 1)
    return [(case, case) for code in codes if low <= code <= high for case in orbits.get(code, ())]


def is_name(char: str) -> bool:
    """Whether RE2 takes ``char`` in the name of a capture."""
    code = ord(char)
    return any(low <= code <= high for name in _NAMES for low, high in group(name) or ())


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(TABLE.read_text("ascii"))
    return table


@cache
def _orbits() -> dict[int, list[int]]:
    orbits = [[int(code, 16) for code in orbit.split()] for orbit in _table()["cases"]]
    return {code: orbit for orbit in orbits for code in orbit}


def _read(written: str) -> Iterator[Range]:
    for entry in written.split():
        low, _, high = entry.partition("-")
        yield int(low, 16), int(high or low, 16)


# Asking RE2 -----------------------------------------------------------------------------------------


def ask_group(name: str) -> str:
    """A group as the table has it."""
    return _ask(rf"\p{{{name}}}")


def ask_cases() -> list[str]:
    """Every set of characters that are each other's cases, as the table has it."""
    cased = "".join(rf"\p{{{_CASED[at : at + 2]}}}" for at in range(0, len(_CASED), 2))
    characters = "".join(
        chr(code) for low, high in _read(_ask(f"[{cased}]")) for code in range(low, high + 1)
    )
    orbits = {_orbit(char, characters) for char in characters}
    return sorted((orbit for orbit in orbits if " " in orbit), key=lambda orbit: int(orbit.split()[0], 16))


def _orbit(char: str, characters: str) -> str:
    import re2

    found = re2.compile(f"(?i)\\x{{{ord(char):x}}}").finditer(characters.encode())
    return " ".join(f"{ord(match.group().decode()):x}" for match in found)


def _ask(pattern: str) -> str:
    import re2

    # Surrogates are no text: a range may run through them.
    everything = "".join(chr(code) for code in _text_codes())
    found = re2.compile(f"(?:{pattern})+").finditer(everything.encode())
    runs = (match.group().decode() for match in found)
    return " ".join(
        f"{ord(run[0]):x}" if len(run) == 1 else f"{ord(run[0]):x}-{ord(run[-1]):x}" for run in runs
    )


def _text_codes() -> Iterable[int]:
    yield from range(0xD800)
    yield from range(0xE000, 0x110000)


def main() -> None:
    table = {"groups": {name: ask_group(name) for name in _table()["groups"]}, "cases": ask_cases()}
    TABLE.write_text(json.dumps(table, indent=0) + "\n", "ascii")


if __name__ == "__main__":
    main()
