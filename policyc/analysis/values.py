"""What may stand at one path of a call's arguments: nothing, or JSON values of each type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from policyc.analysis.addresses import AddressDemand, address_for
from policyc.analysis.budget import Budget
from policyc.analysis.languages import Demand, shortest
from policyc.analysis.numbers import ALL, NONE, Numbers

#: What stands where a path selects nothing.
MISSING: Final = object()

_CONSTANTS: Final = ("missing", "null", "true", "false", "list", "object")


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts that meet every demand: of automata, and of networks that an address is in or not."""

    demands: frozenset[Demand] = frozenset()
    addresses: frozenset[AddressDemand] = frozenset()

    def meet(self, other: Texts) -> Texts:
        return Texts(self.demands | other.demands, self.addresses | other.addresses)

    def example(self, budget: Budget) -> str | None:
        """A text, the shortest where no address is asked for; None where there is none. Raises Exhausted, and
        Undecided where automata and addresses meet in a way that is not solved."""
        if self.addresses:
            return address_for(self.demands, self.addresses, budget)
        return shortest(sorted(self.demands, key=lambda demand: (demand[0].source, demand[1])), budget)


@dataclass(frozen=True, slots=True)
class Values:
    """A set of values: ``constants`` of the types that have one or are not looked into, numbers, and texts
    (None: no text)."""

    constants: frozenset[str] = frozenset(_CONSTANTS)
    numbers: Numbers = ALL
    texts: Texts | None = Texts()

    def meet(self, other: Values) -> Values:
        """The values in both."""
        texts = None if self.texts is None or other.texts is None else self.texts.meet(other.texts)
        return Values(self.constants & other.constants, self.numbers.meet(other.numbers), texts)

    def without(self, *constants: str) -> Values:
        return replace(self, constants=self.constants - set(constants))

    def example(self, text_in: Callable[[Texts], str | None]) -> Any:
        """A value that people would write, MISSING where nothing may stand there; raises Empty for an empty
        set, and what ``text_in`` raises."""
        if "missing" in self.constants:
            return MISSING
        number = self.numbers.example()
        if number is not None:
            return number
        text = None if self.texts is None else text_in(self.texts)
        if text is not None:
            return text
        for name, value in (("true", True), ("false", False), ("null", None), ("list", []), ("object", {})):
            if name in self.constants:
                return value
        raise Empty


class Empty(Exception):
    """A set without a value."""


ANYTHING: Final = Values()
NOTHING: Final = Values(frozenset(), NONE, None)
ONLY_MISSING: Final = replace(NOTHING, constants=frozenset({"missing"}))
PRESENT: Final = ANYTHING.without("missing")
CONTAINER: Final = {
    "object": replace(NOTHING, constants=frozenset({"object"})),
    "list": replace(NOTHING, constants=frozenset({"list"})),
}
