"""Made-up patterns of RE2's whole syntax, and texts that have something to do with them."""

from __future__ import annotations

from random import Random

LETTERS = [
    "a",
    "b",
    "k",
    "S",
    "s",
    "_",
    "0",
    "9",
    "-",
    " ",
    "\n",
    "é",
    "É",
    "ß",
    "σ",
    "ς",
    "Ж",
    "日",
    "😀",
    "ſ",
    "\u212a",
]
ESCAPES = [r"\d", r"\D", r"\s", r"\S", r"\w", r"\W", r"\n", r"\x41", r"\x{e9}", r"\101", r"\.", r"\-", r"\_"]
GROUPS = [r"\pL", r"\PN", r"\p{Greek}", r"\P{^Lu}", r"\p{Ll}", r"\p{Any}"]
POSIX = ["[:alpha:]", "[:^alpha:]", "[:word:]", "[:space:]", "[:upper:]", "[:^digit:]", "[:punct:]"]
PLACES = ["^", "$", r"\A", r"\z", r"\b", r"\B"]
REPEATS = ["*", "+", "?", "{0}", "{1}", "{2}", "{0,2}", "{1,3}", "{2,}", "{0,}"]
FLAGS = ["i", "s", "m", "U", "im", "is", "-i", "s-m", "i-s", "-U"]
#: What only now and then makes a pattern: errors, and places where two readings meet.
ODD = [
    "{",
    "{,2}",
    "[",
    ")",
    "(",
    "|",
    "*",
    r"\Q.a\E",
    r"\Qé*",
    r"\p{No}",
    r"\8",
    "]",
    "(?",
    "a**",
    "[z-a]",
    "{1,",
]


def pattern(random: Random, *, odd: bool = False) -> str:
    """A pattern; if ``odd``, often one that RE2 refuses."""
    return _Maker(random, odd).alternatives(3)


class _Maker:
    def __init__(self, random: Random, odd: bool) -> None:
        self._random = random
        self._odd = odd

    def alternatives(self, depth: int) -> str:
        return "|".join(self._sequence(depth) for _ in range(self._random.choice([1, 1, 1, 2, 3])))

    def _sequence(self, depth: int) -> str:
        return "".join(self._piece(depth) for _ in range(self._random.choice([0, 1, 1, 2, 2, 3, 4])))

    def _piece(self, depth: int) -> str:
        random = self._random
        if self._odd and random.random() < 0.05:
            return random.choice(ODD)
        if random.random() < 0.05:
            return f"(?{self._flags()})"
        text = self._atom(depth)
        if random.random() < 0.4:
            text += random.choice(REPEATS) + random.choice(["", "", "?"])
        return text

    def _atom(self, depth: int) -> str:
        random = self._random
        kind = random.random()
        if kind < 0.3 and depth:
            opening = random.choice(["(", "(?:", "(?P<n>", f"(?{self._flags()}:"])
            return f"{opening}{self.alternatives(depth - 1)})"
        if kind < 0.4:
            return random.choice(PLACES)
        if kind < 0.55:
            return self._class()
        if kind < 0.65:
            return random.choice([".", *ESCAPES, *GROUPS])
        return self._letter()

    def _flags(self) -> str:
        return self._random.choice(FLAGS)

    def _letter(self) -> str:
        return self._random.choice(LETTERS).replace("-", r"\-")

    def _class(self) -> str:
        items = "".join(self._item() for _ in range(self._random.choice([1, 1, 2, 3])))
        return f"[{self._random.choice(['', '', '^'])}{items}]"

    def _item(self) -> str:
        random = self._random
        kind = random.random()
        if kind < 0.3:
            low, high = sorted((random.choice(LETTERS), random.choice(LETTERS)))
            return f"{low}-{high}".replace("---", r"\--\-") if "-" not in (low, high) else "x-z"
        if kind < 0.5:
            return random.choice([*ESCAPES, *POSIX, *GROUPS])
        return self._letter()


def text(random: Random) -> str:
    """A short text of the letters that patterns are made of, with runs."""
    pieces = [random.choice(LETTERS) * random.choice([1, 1, 1, 2, 3]) for _ in range(random.randrange(9))]
    return "".join(pieces)
