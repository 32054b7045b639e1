"""Patterns written out: without ``\\p`` and without case folds beyond ASCII, so that an engine without
Unicode tables, or with other ones, finds the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from policyc.compiler import unicode
from policyc.engine.regex import RegexError, compile_regex
from policyc.engine.regex_nodes import MAX_HEIGHT, MAX_SIZE
from policyc.engine.regex_ranges import negated
from policyc.engine.regex_syntax import Parser

#: A short pattern of ASCII without any of these needs no tables and cannot be too large.
_MARKS = ("\\p", "\\P", "\\x", "\\4", "\\5", "\\6", "\\7", "{")
_NO_CHARACTER = "[^\\x{0}-\\x{10ffff}]"


def written_out(source: str) -> str:
    """The pattern with the same matches that needs no tables; ``source`` itself where that needs none.

    Raises RegexError for what the engine does not take.
    """
    return source if _is_plain(source) else _Writer(source).written()


def _is_plain(source: str) -> bool:
    """Whether the pattern certainly needs no tables and is not too large: reading it would cost more."""
    small = len(source) < MAX_SIZE // 3 and source.count("(") < MAX_HEIGHT // 3
    return small and source.isascii() and not any(mark in source for mark in _MARKS)


def written_if_sound(source: str) -> str:
    """The pattern written out, or as it is where the engine does not take it: that is reported elsewhere."""
    try:
        return written_out(source)
    except RegexError:
        return source


def pattern_problem(source: str) -> str | None:
    """What is wrong with a pattern, or None."""
    try:
        compile_regex(written_out(source))
    except RegexError as error:
        return str(error)
    return None


def written_value(op: str, value: Any, write: Callable[[str], str] = written_out) -> Any:
    """The value of a clause with ``write`` applied to each pattern in it. Raises what ``write`` raises."""
    if op == "regex":
        return _written(value, write)
    if op == "shell" and isinstance(value, dict) and "code" in value:
        return {**value, "code": _written(value["code"], write)}
    return value


def _written(value: Any, write: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [_written(item, write) for item in value]
    return write(value) if isinstance(value, str) else value


class _Writer(Parser):
    """Reads a pattern with Unicode tables, and notes what only they could tell."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._asked = False
        #: Start, end and what to write there instead, in order.
        self._changes: list[tuple[int, int, str]] = []

    def written(self) -> str:
        self.parse()
        pieces, done = [], 0
        for start, end, text in self._changes:
            pieces += [self.source[done:start], text]
            done = end
        return "".join([*pieces, self.source[done:]])

    def group(self, name: str, start: int) -> tuple[tuple[int, int], ...]:
        found = unicode.group(name)
        if found is None:
            raise self.error("invalid character class range", self.source[start : self.at])
        self._asked = True
        return found

    def cases(self, low: int, high: int) -> list[tuple[int, int]]:
        self._asked = True
        return unicode.cases(low, high)

    def is_name(self, char: str) -> bool:
        self._asked = True
        return unicode.is_name(char)

    def take(self, start: int, ranges: Any) -> None:
        super().take(start, ranges)
        if self._asked:
            self._asked = False
            text = f"(?-i:{_class(ranges)})"
            self._changes.append((start, self.at, f"\\E{text}\\Q" if self.quoting else text))

    def _enter(self, flags: frozenset[str]) -> None:
        super()._enter(flags)
        if self._asked:  # the name of a group: nobody asks for it
            self._asked = False
            start = self.source.rindex("(?", 0, self.at)
            self._changes.append((start, self.at, "("))


def _class(ranges: tuple[tuple[int, int], ...]) -> str:
    if not ranges:
        return _NO_CHARACTER
    inverse = negated(ranges)
    shorter, sign = (inverse, "^") if inverse and len(inverse) < len(ranges) else (ranges, "")
    return f"[{sign}{''.join(_range(low, high) for low, high in shorter)}]"


def _range(low: int, high: int) -> str:
    return f"\\x{{{low:x}}}" if low == high else f"\\x{{{low:x}}}-\\x{{{high:x}}}"
