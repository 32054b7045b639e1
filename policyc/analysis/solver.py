"""Whether a region holds a call, and which one: the parts are solved one by one and remembered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from policyc.analysis.addresses import Undecided
from policyc.analysis.budget import Budget, Exhausted
from policyc.analysis.languages import Demand, Language, shortest
from policyc.analysis.names import Names
from policyc.analysis.region import Region
from policyc.analysis.values import Empty, Texts, Values

#: Examples that are tried before an automaton is searched.
_KEPT = 64
#: Violated demands that join the search at once.
_MORE = 4


class Solver:
    """Answers are remembered by what was asked, so the same part costs nothing the second time."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._texts: dict[Texts, str | None] = {}
        self._shortest: dict[Texts, str | None] = {}
        self._examples: list[str] = ["", "a", "x"]

    def is_empty(self, region: Region) -> bool:
        """Whether no call can be in the region. Raises Exhausted. What is not decided counts as not empty."""
        return (
            not region.stages
            or self._has_no_name(region.names)
            or any(self._holds_none(values) for values in region.values.values())
        )

    def name(self, names: Names) -> tuple[str, str | None] | None:
        """A name in ``names`` and its canonical one, if it has one; None where there is none."""
        if names.paired:
            return min(names.paired)
        if names.single is None:
            return None
        text = self.text(Texts(names.single))
        return None if text is None else (text, None)

    def text(self, texts: Texts) -> str | None:
        """A text in ``texts``, the shortest if that is soon found; None where there is none. Raises Exhausted
        and Undecided."""
        if texts not in self._shortest:
            found = texts.example(self.budget) if texts.addresses else self._short(texts.demands)
            self._shortest[texts] = found
        return self._shortest[texts]

    def has_text(self, texts: Texts) -> bool:
        """Whether there is a text in ``texts``. Raises Exhausted and Undecided."""
        if texts not in self._texts:
            self._texts[texts] = self._search(texts)
        return self._texts[texts] is not None

    def value(self, values: Values) -> Any:
        """A value in ``values`` or MISSING. Raises Empty, Exhausted and Undecided."""
        return values.example(self.text)

    def _has_no_name(self, names: Names) -> bool:
        return not names.paired and not any(
            demands is not None and self.has_text(Texts(demands)) for demands in (names.single, names.dotted)
        )

    def _holds_none(self, values: Values) -> bool:
        if values.constants or values.numbers:
            return False
        try:
            return values.texts is None or not self.has_text(values.texts)
        except Undecided:
            return False

    def _search(self, texts: Texts) -> str | None:
        if texts.addresses:
            return self.text(texts)
        for example in (*self._examples, *_plain(texts.demands)):
            if _meets(example, texts.demands):
                return example
        found = self._refined(texts.demands)
        if found is not None:
            self._examples = [found, *self._examples][:_KEPT]
        return found

    def _short(self, demands: frozenset[Demand]) -> str | None:
        """The shortest text, or one that is plain from the patterns where that costs too much."""
        try:
            return self._refined(demands)
        except Exhausted:
            found = next((text for text in _plain(demands) if _meets(text, demands)), None)
            if found is None:
                raise
            return found

    def _refined(self, demands: frozenset[Demand]) -> str | None:
        """Searches with the demands that a first answer violates, and only those: the others cost states."""
        if any((language, not wanted) in demands for language, wanted in demands):
            return None
        used = {demand for demand in demands if demand[1]}
        while True:
            found = shortest(sorted(used, key=_order), self.budget)
            violated = () if found is None else [it for it in demands if (found in it[0]) is not it[1]]
            if not violated:
                return found
            used.update(violated[:_MORE])


def _plain(demands: frozenset[Demand]) -> Iterator[str]:
    for language, wanted in sorted(demands, key=_order):
        if wanted and (example := language.example) is not None:
            yield example


def _meets(text: str, demands: frozenset[Demand]) -> bool:
    return all((text in language) is wanted for language, wanted in demands)


def _order(demand: tuple[Language, bool]) -> tuple[bool, str]:
    """Demands that rule most out come first."""
    return not demand[1], demand[0].source


__all__ = ["Empty", "Solver", "Undecided"]
