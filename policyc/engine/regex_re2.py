"""Regular expressions through google-re2: the fast path.

One pattern is searched through a set of one: a set match costs 1 to 2 us where google-re2's ``search``,
which builds spans in Python, costs about 4.
"""

from __future__ import annotations

from collections.abc import Iterator

import re2

from policyc.engine.regex_errors import LONE_SURROGATE, RegexError, explain
from policyc.engine.regex_syntax import parse
from policyc.engine.text import clean

#: Bytes one set may use for its automaton. RE2 builds states lazily and starts over when this is full.
MAX_MEMORY = 8 << 20
#: Patterns per automaton: larger unions make states that are slow to build and rarely reused.
CHUNK = 64


class Pattern:
    """A compiled pattern; ``search`` is unanchored. Right also where a set runs out of memory."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._compiled = _compile(source)

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in ``text``."""
        return self._compiled.search(clean(text)) is not None

    def fullmatch(self, text: str) -> bool:
        """Whether the pattern matches the whole of ``text``."""
        return self._compiled.fullmatch(clean(text)) is not None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the pattern matches, leftmost first, without overlap; empty matches are left out."""
        # Over bytes: google-re2 counts characters wrong after an empty match inside one, as of ``\\B``.
        data = clean(text).encode()
        seen = counted = 0
        for match in self._compiled.finditer(data):
            start, end = match.span()
            if start < end:
                first = counted + len(data[seen:start].decode())
                seen, counted = end, first + len(data[start:end].decode())
                yield first, counted


def compile_regex(source: str) -> Pattern:
    """A pattern for ``source``. Raises RegexError (saying what RE2 refuses)."""
    return Pattern(source)


def prepare(_source: str, _texts: list[str], _folded: bool) -> None:
    """Does nothing: RE2 finds literals by itself."""


class _Chunk:
    """``size`` patterns from ``start`` on, and their automaton, or None where it does not fit."""

    __slots__ = ("automaton", "size", "start")

    def __init__(self, start: int, size: int, automaton: re2.Set | None) -> None:
        self.start = start
        self.size = size
        self.automaton = automaton


class PatternSet:
    """Several patterns over one text in a single pass, built on first use.

    ``scan`` answers the indexes of the patterns that match. The patterns must be valid (``compile_regex``).
    """

    __slots__ = ("_chunks", "_full_match", "_patterns")

    def __init__(self, patterns: list[str], *, full_match: bool = False) -> None:
        self._patterns = patterns
        self._full_match = full_match
        self._chunks: list[_Chunk] | None = None

    def scan(self, text: str) -> list[int]:
        """The indexes of the patterns that match ``text``; the order is not defined."""
        text = clean(text)
        hits: list[int] = []
        for chunk in self._chunks or self._build():
            found = None if chunk.automaton is None else chunk.automaton.Match(text)
            if found is None:
                hits.extend(self._one_by_one(chunk, text))
            else:
                hits.extend([chunk.start + index for index in found if index < chunk.size])
        return hits

    def _build(self) -> list[_Chunk]:
        chunks: list[_Chunk] = []
        for start in range(0, len(self._patterns), CHUNK):
            chunks += self._automata(start, min(CHUNK, len(self._patterns) - start))
        self._chunks = chunks
        return chunks

    def _automata(self, start: int, size: int) -> list[_Chunk]:
        make = re2.Set.FullMatchSet if self._full_match else re2.Set.SearchSet
        automaton = make(_options(MAX_MEMORY))
        for pattern in self._patterns[start : start + size]:
            automaton.Add(pattern)
        # Always matches. RE2 answers "no match" when the automaton's memory runs out
        # (RE2::Set::Match, kOutOfMemory), and the binding hides which it was: without
        # this one in the answer, the patterns are searched one by one.
        automaton.Add("(?s:.*)" if self._full_match else r"\z")
        try:
            automaton.Compile()
        except re2.error:  # too large together; each alone was compiled when the plan was loaded
            if size == 1:
                return [_Chunk(start, 1, None)]
            half = size // 2
            return self._automata(start, half) + self._automata(start + half, size - half)
        return [_Chunk(start, size, automaton)]

    def _one_by_one(self, chunk: _Chunk, text: str) -> list[int]:
        hits = []
        for index in range(chunk.start, chunk.start + chunk.size):
            pattern = Pattern(self._patterns[index])
            if pattern.fullmatch(text) if self._full_match else pattern.search(text):
                hits.append(index)
        return hits


def _options(max_memory: int | None = None) -> re2.Options:
    options = re2.Options()
    options.log_errors = False  # the error is raised as data; RE2 would also print it
    if max_memory is not None:
        options.max_mem = max_memory
    return options


def _compile(source: str) -> re2._Regexp:
    if "\\C" in source:
        parse(source)  # finds out whether it is that escape, and refuses it
    try:
        return re2.compile(source, _options())
    except re2.error as error:
        text = error.args[0] if error.args else ""
        said = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
        raise RegexError(explain(source, said)) from None
    except UnicodeEncodeError:
        raise RegexError(LONE_SURROGATE) from None
