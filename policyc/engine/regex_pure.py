"""Regular expressions without google-re2: the same answers, from the standard library alone.

A pattern is read when it is made, so that what is wrong with it is known then; one that was prepared is read
when it is first needed. Its automaton is made by the first text that holds a literal which every match needs.
"""

from __future__ import annotations

from policyc.engine.regex_literals import ANYTHING, Literals
from policyc.engine.text import clean

# What one call needs of the other modules is imported when it does: the gate starts anew for each call.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from policyc.engine.regex_automaton import Automaton
    from policyc.engine.regex_nodes import Node
    from policyc.engine.regex_program import Program

#: Patterns kept ready: a plan makes each of its patterns twice, to check it and to use it.
_MAX_KNOWN = 4096
_known: dict[str, Pattern] = {}


class Pattern:
    """A compiled pattern; ``search`` is unanchored. May be shared by threads."""

    __slots__ = ("_anywhere", "_literals", "_program", "_tree", "_whole", "source")

    def __init__(self, source: str, literals: Literals | None = None) -> None:
        self.source = source
        self._tree = _read(source) if literals is None else None
        self._literals = literals
        self._program: Program | None = None
        self._anywhere: Automaton | None = None
        self._whole: Automaton | None = None

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in ``text``."""
        text = clean(text)
        if not self._may_match(text):
            return False
        automaton = self._anywhere
        if automaton is None:
            automaton = self._anywhere = self._automaton(whole=False)
        return automaton.matches(text) or (not text.isascii() and self._made().inside)

    def fullmatch(self, text: str) -> bool:
        """Whether the pattern matches the whole of ``text``."""
        text = clean(text)
        if not self._may_match(text):
            return False
        automaton = self._whole
        if automaton is None:
            automaton = self._whole = self._automaton(whole=True)
        return automaton.matches(text)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the pattern matches, leftmost first, without overlap; empty matches are left out."""
        if not self.search(text):
            return iter(())
        from policyc.engine.regex_spans import spans

        return spans(self._made(), clean(text))

    def _may_match(self, text: str) -> bool:
        literals = self._literals
        if literals is None:
            from policyc.engine.regex_needs import needed

            literals = self._literals = needed(self._parsed()) or ANYTHING
        return literals.may_match(text)

    def _parsed(self) -> Node:
        return _read(self.source) if self._tree is None else self._tree

    def _made(self) -> Program:
        program = self._program
        if program is None:
            from policyc.engine.regex_program import Program

            program = self._program = Program(self._parsed())
        return program

    def _automaton(self, *, whole: bool) -> Automaton:
        from policyc.engine.regex_automaton import Automaton

        return Automaton(self._made(), whole=whole)


def compile_regex(source: str) -> Pattern:
    """A pattern for ``source``. Raises RegexError."""
    found = _known.get(source)
    return _keep(Pattern(source)) if found is None else found


def prepare(source: str, texts: list[str], folded: bool) -> None:
    """Lets ``compile_regex`` answer for a pattern that the compiler has read, without reading it again.

    Every match holds one of ``texts``; if ``folded``, they are in lower case and the text may have any. What
    cannot be read after all raises RegexError when it is searched for.
    """
    _keep(Pattern(source, Literals(texts, folded)))


def _keep(pattern: Pattern) -> Pattern:
    if len(_known) >= _MAX_KNOWN:
        _known.clear()
    _known[pattern.source] = pattern
    return pattern


def _read(source: str) -> Node:
    from policyc.engine.regex_syntax import parse

    return parse(source)


class PatternSet:
    """Several patterns over one text. One by one: their literals rule most of them out, and what is left is
    cheaper to build alone than together."""

    __slots__ = ("_full_match", "_patterns")

    def __init__(self, patterns: list[str], *, full_match: bool = False) -> None:
        self._patterns = patterns
        self._full_match = full_match

    def scan(self, text: str) -> list[int]:
        """The indexes of the patterns that match ``text``; the order is not defined."""
        text = clean(text)
        found = map(compile_regex, self._patterns)
        if self._full_match:
            return [index for index, pattern in enumerate(found) if pattern.fullmatch(text)]
        return [index for index, pattern in enumerate(found) if pattern.search(text)]
