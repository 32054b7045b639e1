"""Brace expansion: ``{a,b}``, ``{1..5}``, ``{a..e..2}``, nested (Bash Reference Manual, 3.5.1)."""

from __future__ import annotations

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.scanner import Unparsable
from policyc.engine.shell.tree import Literal, Part

#: Words one word may become.
MAX_WORDS = 256

_RANGE = lazy_pattern(r"(?:(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?[0-9]{1,9}))?")
_ACTIVE = lazy_pattern(r"([{},])")


def has_braces(parts: list[Part]) -> bool:
    """Whether the parts may be more than one word."""
    opened = False
    for part in parts:
        if isinstance(part, Literal) and not part.quoted:
            opened = opened or "{" in part.text
            if opened and "}" in part.text:
                return True
    return False


def expand_braces(parts: list[Part]) -> list[list[Part]]:
    """The words the parts stand for. Raises Unparsable beyond MAX_WORDS."""
    tokens: list[Part | str] = []
    for part in parts:
        if isinstance(part, Literal) and not part.quoted:
            pieces = filter(None, _ACTIVE.split(part.text))
            tokens.extend(piece if piece in "{}," else Literal(piece, False) for piece in pieces)
        else:
            tokens.append(part)
    return _Expansion(tokens).between(0, len(tokens))


class _Expansion:
    def __init__(self, tokens: list[Part | str]) -> None:
        self.tokens = tokens
        self.closing: dict[int, int] = {}
        self.commas: dict[int, list[int]] = {}
        opened: list[int] = []
        for at, token in enumerate(tokens):
            if token == "{":
                opened.append(at)
                self.commas[at] = []
            elif token == "}" and opened:
                self.closing[opened.pop()] = at
            elif token == "," and opened:
                self.commas[opened[-1]].append(at)

    def between(self, start: int, end: int) -> list[list[Part]]:
        words: list[list[Part]] = [[]]
        at = start
        while at < end:
            token = self.tokens[at]
            alternatives = self.alternatives(at) if token == "{" else None
            if alternatives is None:
                part = Literal(token, False) if isinstance(token, str) else token
                for word in words:
                    word.append(part)
                at += 1
                continue
            if len(words) * len(alternatives) > MAX_WORDS:
                raise Unparsable(f"braces make more than {MAX_WORDS} words")
            words = [word + alternative for word in words for alternative in alternatives]
            at = self.closing[at] + 1
        return words

    def alternatives(self, start: int) -> list[list[Part]] | None:
        """What the brace at ``start`` stands for; None where it is a character like any other."""
        end = self.closing.get(start)
        if end is None:
            return None
        commas = self.commas[start]
        if not commas:
            return self.range(start, end)
        edges = [start, *commas, end]
        words: list[list[Part]] = []
        for left, right in zip(edges, edges[1:]):  # noqa: RUF007  (pairwise came with Python 3.10)
            words += self.between(left + 1, right)
        return words

    def range(self, start: int, end: int) -> list[list[Part]] | None:
        token = self.tokens[start + 1]
        if end != start + 2 or not isinstance(token, Literal):
            return None
        match = _RANGE.fullmatch(token.text)
        if match is None or token.quoted:
            return None
        low, high, first, last, step = match.groups()
        begin, stop = (int(low), int(high)) if low else (ord(first), ord(last))
        by = abs(int(step or 1)) or 1
        if abs(stop - begin) // by >= MAX_WORDS:
            raise Unparsable(f"braces make more than {MAX_WORDS} words")
        values = range(begin, stop + 1, by) if begin <= stop else range(begin, stop - 1, -by)
        width = max(len(low), len(high)) if low and _padded(low, high) else 0
        return [[Literal(f"{value:0{width}d}" if low else chr(value), True)] for value in values]


def _padded(low: str, high: str) -> bool:
    return any(len(text.lstrip("-")) > 1 and text.lstrip("-").startswith("0") for text in (low, high))
