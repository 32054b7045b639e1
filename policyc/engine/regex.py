"""Regular expressions with RE2's syntax and its linear time, through google-re2.

One pattern is searched through a set of one: a set match costs 1 to 2 us where google-re2's ``search``,
which builds spans in Python, costs about 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from policyc.engine.text import clean

try:
    import re2
except ImportError:
    re2 = None

#: Bytes one set may use for its automaton. RE2 builds states lazily and starts over when this is full.
MAX_MEMORY = 8 << 20
#: Patterns per automaton: larger unions make states that are slow to build and rarely reused.
CHUNK = 64

#: RE2's words -> what the author wrote, and what to write instead.
_CONSTRUCTS = (
    ("(?=", "a lookahead (?=...)"),
    ("(?!", "a negative lookahead (?!...)"),
    ("(?<=", "a lookbehind (?<=...)"),
    ("(?<!", "a negative lookbehind (?<!...)"),
    ("(?>", "an atomic group (?>...)"),
    ("(?(", "a conditional (?(...)...)"),
    ("(?#", "an inline comment (?#...)"),
    ("(?P=", "a named backreference (?P=...)"),
    ("\\k", "a named backreference \\k"),
    ("\\g", "a backreference \\g"),
    ("\\Z", "\\Z (write \\z for the end of the text)"),
    ("\\h", "\\h (write [ \\t] for horizontal space)"),
    ("\\R", "\\R (write \\r?\\n for a line break)"),
)


class RegexError(ValueError):
    """A pattern RE2 does not take; the message says which construct."""


class RegexUnavailable(RuntimeError):
    """RE2 is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "regular expressions need google-re2, which is not installed: pip install google-re2"
        )


def escape(text: str) -> str:
    """``text`` as a pattern that matches just itself."""
    return "".join(
        char if char.isalnum() or ord(char) > 127 or char == "_" else f"\\x{{{ord(char):x}}}" for char in text
    )


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
        found = (match.span() for match in self._compiled.finditer(clean(text)))
        return ((start, end) for start, end in found if start < end)


def compile_regex(source: str) -> Pattern:
    """A pattern for ``source``. Raises RegexError (saying what RE2 refuses) or RegexUnavailable."""
    return Pattern(source)


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
        if re2 is None:
            raise RegexUnavailable
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
    if re2 is None:
        raise RegexUnavailable
    try:
        return re2.compile(source, _options())
    except re2.error as error:
        raise RegexError(_explain(source, error)) from None
    except UnicodeEncodeError:
        raise RegexError("the pattern has a lone surrogate, which is no Unicode text") from None


def _explain(source: str, error: Exception) -> str:
    text = error.args[0] if error.args else ""
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    culprit = said.rpartition(": ")[2]
    if culprit.startswith("\\") and culprit[1:2].isdigit():
        return f"a backreference {culprit} is not in RE2 (linear time needs patterns without memory)"
    for construct, name in _CONSTRUCTS:
        if culprit.startswith(construct) or (
            construct.startswith(culprit) and construct in source and culprit
        ):
            return f"{name} is not in RE2"
    if said.startswith("bad repetition operator") and culprit[-1:] == "+":
        return f"a possessive quantifier {culprit} is not in RE2"
    return said
