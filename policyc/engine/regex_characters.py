"""Reads the characters of a pattern: escapes, named sets and classes, as RE2 does and in its words."""

from __future__ import annotations

from policyc.engine.regex_errors import RegexError, explain
from policyc.engine.regex_ranges import (
    ANY,
    DIGIT,
    MAX,
    ODD_CASES,
    POSIX,
    SPACE,
    WORD,
    Ranges,
    ascii_cases,
    merged,
    negated,
)

Flags = frozenset[str]

_ESCAPES = {"n": 10, "r": 13, "t": 9, "a": 7, "f": 12, "v": 11}
_PERL = {"d": DIGIT, "s": SPACE, "w": WORD}
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")


class Characters:
    """A pattern and the place in it; what reads on from there raises RegexError.

    ``group``, ``cases`` and ``is_name`` are what Unicode tables would answer.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.flags: Flags = frozenset()

    # What Unicode tables answer ---------------------------------------------------------------------

    def group(self, name: str, start: int) -> Ranges:  # noqa: ARG002
        """The code points of ``\\p{name}``, which is written at ``start``."""
        raise self._needs_tables(self.source[start : self.at])

    def cases(self, low: int, high: int) -> list[tuple[int, int]]:
        """The other cases of the code points ``low`` to ``high``, none of which is ASCII."""
        shown = chr(low) if low == high else f"{chr(low)}-{chr(high)}"
        raise self._needs_tables(f"(?i) on {shown}")

    def is_name(self, char: str) -> bool:
        """Whether ``char``, which is not ASCII, may stand in the name of a group."""
        raise self._needs_tables(f"{char} in the name of a group")

    def folded(self, ranges: Ranges) -> Ranges:
        """The set with every case of what is in it."""
        found = list(ranges)
        for low, high in ranges:
            found += ascii_cases(low, high)
            if high > 127:
                odd = ODD_CASES.get(low) if low == high else None
                found += self.cases(max(low, 128), high) if odd is None else odd
        return merged(found)

    def _set(self, ranges: Ranges, negative: bool) -> Ranges:
        if "i" in self.flags:
            ranges = self.folded(ranges)
        return negated(ranges) if negative else ranges

    # Escapes and named sets -------------------------------------------------------------------------

    def named_set(self) -> Ranges | None:
        """The set of ``\\d``, ``\\pN`` or the like, if one is written here."""
        char = self.source[self.at + 1 : self.at + 2]
        if char in ("p", "P"):
            return self._unicode_group()
        ranges = _PERL.get(char.lower())
        if ranges is None:
            return None
        self.at += 2
        return self._set(ranges, char.isupper())

    def _unicode_group(self) -> Ranges:
        source, start = self.source, self.at
        negative = source[start + 1] == "P"
        end = start + 3
        name = source[start + 2 : end]
        if name == "{":
            end = source.find("}", start) + 1
            name = source[start + 3 : end - 1]
        if not name or not end:
            raise self.error("invalid character class range", source[start:])
        self.at = end
        if name.startswith("^"):
            negative, name = not negative, name[1:]
        return self._set(ANY if name == "Any" else self.group(name, start), negative)

    def escape(self) -> int:
        """The code point of the escape here."""
        source, start = self.source, self.at
        char = source[start + 1 : start + 2]
        self.at = start + 2
        if char == "":
            raise self.error("trailing \\")
        if char in _OCTAL:
            return self._octal(start, char)
        if char == "x":
            return self._hexadecimal(start)
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char.isascii() and not char.isalnum():
            return ord(char)
        raise self._bad_escape(start)

    def _bad_escape(self, start: int) -> RegexError:
        return self.error("invalid escape sequence", self.source[start : self.at])

    def _octal(self, start: int, first: str) -> int:
        if first != "0" and self.source[self.at : self.at + 1] not in _OCTAL:
            raise self._bad_escape(start)
        while self.at < start + 4 and self.source[self.at : self.at + 1] in _OCTAL:
            self.at += 1
        return int(self.source[start + 1 : self.at], 8)

    def _hexadecimal(self, start: int) -> int:
        source = self.source
        if source[self.at : self.at + 1] == "{":
            return self._braced_hexadecimal(start)
        digits = source[self.at : self.at + 2]
        self.at += len(digits)
        if len(digits) < 2 or not _HEX.issuperset(digits):
            raise self._bad_escape(start)
        return int(digits, 16)

    def _braced_hexadecimal(self, start: int) -> int:
        source, code = self.source, 0
        first = self.at = self.at + 1
        while source[self.at : self.at + 1] in _HEX:
            code = code * 16 + int(source[self.at], 16)
            self.at += 1
            if code > MAX:
                raise self._bad_escape(start)
        if self.at == len(source):
            raise self.error("invalid UTF-8") if self.at == first else self._bad_escape(start)
        self.at += 1
        if source[self.at - 1] != "}" or self.at == first + 1:
            raise self._bad_escape(start)
        return code

    # Classes ----------------------------------------------------------------------------------------

    def char_class(self) -> Ranges:
        """The set of the class ``[...]`` here."""
        source, start = self.source, self.at
        self.at += 1
        negative = source.startswith("^", self.at)
        self.at += negative
        first = self.at
        found: list[tuple[int, int]] = []
        while self.at < len(source) and (source[self.at] != "]" or self.at == first):
            found += self._class_item(start)
        if self.at == len(source):
            raise self.error("missing ]", source[start:])
        self.at += 1
        ranges = merged(found)
        return negated(ranges) if negative else ranges

    def _class_item(self, start: int) -> Ranges:
        source, at = self.source, self.at
        if source.startswith("[:", at):
            end = source.find(":]", at + 2)
            if end >= 0:
                return self._posix(source[at + 2 : end])
        if source[at] == "\\":
            ranges = self.named_set()
            if ranges is not None:
                return ranges
        low = high = self._class_character(start)
        if source.startswith("-", self.at) and source[self.at + 1 : self.at + 2] not in ("]", ""):
            self.at += 1
            high = self._class_character(start)
            if high < low:
                raise self.error("invalid character class range", source[at : self.at])
        elif source.startswith("-", self.at) and self.at + 1 == len(source):
            raise self.error("missing ]", source[start:])
        return self._set(((low, high),), False)

    def _posix(self, name: str) -> Ranges:
        ranges = POSIX.get(name[1:] if name.startswith("^") else name)
        if ranges is None:
            raise self.error("invalid character class range", f"[:{name}:]")
        self.at += len(name) + 4
        return self._set(ranges, name.startswith("^"))

    def _class_character(self, start: int) -> int:
        if self.at == len(self.source):
            raise self.error("missing ]", self.source[start:])
        if self.source[self.at] == "\\":
            return self.escape()
        self.at += 1
        return ord(self.source[self.at - 1])

    def _needs_tables(self, what: str) -> RegexError:
        return RegexError(
            f"{what} needs Unicode tables: the compiler writes it out, so build the artifact again"
        )

    def error(self, said: str, culprit: str = "") -> RegexError:
        return RegexError(explain(self.source, f"{said}: {culprit}" if culprit else said))
