"""Literals of which every match holds one: most texts have none, and need no automaton."""

from __future__ import annotations


class Literals:
    """A match holds one of ``texts``, of which ``folded`` ones are in lower case."""

    __slots__ = ("folded", "texts")

    def __init__(self, texts: list[str], folded: bool) -> None:
        self.texts = [text.lower() for text in texts] if folded else texts
        self.folded = folded

    def may_match(self, text: str) -> bool:
        """False only if the pattern matches nowhere in ``text``."""
        if self.folded:
            # Beyond ASCII, lower() is not RE2's case fold.
            if not text.isascii():
                return True
            text = text.lower()
        return any(literal in text for literal in self.texts)

    def rank(self) -> tuple[int, int]:
        """The better, the higher: the shortest literal says how rare a hit is."""
        return min(map(len, self.texts)), -len(self.texts)


#: What stands for no literals: every text has it.
ANYTHING = Literals([""], False)
