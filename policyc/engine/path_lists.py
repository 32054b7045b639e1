"""Lists of path globs: a path's own names find the few of a list that may cover it."""

from __future__ import annotations

from policyc.engine.path_globs import Subject, word_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class PathList:
    """Path globs as they are written."""

    __slots__ = ("_tables", "globs", "placed")

    def __init__(self, globs: Iterable[str]) -> None:
        self.globs = list(globs)
        #: Those that say where they begin.
        self.placed = [glob for glob in self.globs if glob[:1] in ("/", "~", ".")]
        self._tables: dict[bool, tuple[list[str], dict[str, list[str]]]] = {}

    def near(self, subject: Subject) -> list[str]:
        """The globs that may cover the path: the answer of every other is False."""
        words = subject.words
        if words is None:
            return self.globs
        wordless, by_word = self._table(subject.folds)
        if words.isdisjoint(by_word):
            return wordless
        return [*wordless, *(glob for word in words if word in by_word for glob in by_word[word])]

    def words(self, folds: bool) -> Iterable[str]:
        """The names of which each glob needs one."""
        return self._table(folds)[1]

    def _table(self, folds: bool) -> tuple[list[str], dict[str, list[str]]]:
        found = self._tables.get(folds)
        if found is None:
            wordless: list[str] = []
            by_word: dict[str, list[str]] = {}
            for glob in self.globs:
                word = word_of(glob, folds)
                (wordless if word is None else by_word.setdefault(word, [])).append(glob)
            found = self._tables[folds] = (wordless, by_word)
        return found
