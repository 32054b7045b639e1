"""What a sed script runs, reads and writes, by its commands ``e``, ``r``, ``w`` and the flags of ``s``."""

from __future__ import annotations

#: An address, as far as it is not text between delimiters.
_SKIPPED = frozenset(" \t\n;{}!,0123456789$~+")
_TO_LINE_END = frozenset("aic:btTqQlL#v")


class SedScript:
    """``runs`` are shell commands, ``pattern_runs``: the text that sed works on is run too, ``replaced`` is
    what ``s///e`` puts into it."""

    __slots__ = ("pattern_runs", "reads", "replaced", "runs", "writes")

    def __init__(self, script: str) -> None:
        self.runs: list[str] = []
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.replaced: list[str] = []
        self.pattern_runs = False
        at = 0
        while at < len(script):
            at = self._command(script, at)

    def _command(self, script: str, at: int) -> int:
        """Reads one command, or a part of an address; answers where the next one begins."""
        letter = script[at]
        if letter in _SKIPPED:
            return at + 1
        if letter == "/":
            return _past(script, at + 1, "/", True)
        if letter == "\\" and at + 1 < len(script):
            return _past(script, at + 2, script[at + 1], True)
        if letter in "sy" and at + 1 < len(script):
            mark = script[at + 1]
            middle = _past(script, at + 2, mark, letter == "s")
            end = _past(script, middle, mark, False)
            return self._flags(script, end, script[middle : end - 1]) if letter == "s" else end
        if letter in "erRwW" or letter in _TO_LINE_END:
            end = script.find("\n", at)
            end = len(script) if end < 0 else end
            self._named(letter, script[at + 1 : end].strip())
            return end if letter not in "btTqQlL" else _stop(script, at, end)
        return at + 1

    def _flags(self, script: str, at: int, replacement: str) -> int:
        while at < len(script) and script[at] in "gpiImMe0123456789":
            if script[at] == "e":
                self.pattern_runs = True
                self.replaced.append(replacement)
            at += 1
        return self._command(script, at) if script[at : at + 1] == "w" else at

    def _named(self, letter: str, text: str) -> None:
        if letter == "e":
            self.runs.append(text)
            self.pattern_runs = self.pattern_runs or not text
        elif letter in "rR":
            self.reads.append(text)
        elif letter in "wW":
            self.writes.append(text)


def _past(script: str, at: int, mark: str, brackets: bool) -> int:
    """Past the next ``mark`` that has no backslash before it and, in a pattern, stands in no brackets."""
    while at < len(script) and script[at] != mark:
        if script[at] == "[" and brackets:
            close = script.find("]", at + (3 if script[at + 1 : at + 2] == "^" else 2))
            newline = script.find("\n", at)
            if close > 0 and not 0 < newline < close:
                at = close
        at += 2 if script[at] == "\\" else 1
    return at + 1


def _stop(script: str, at: int, end: int) -> int:
    """Labels end at a semicolon or a brace."""
    while at < end and script[at] not in ";}":
        at += 1
    return at
