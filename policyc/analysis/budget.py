"""How much work a question may cost; what runs out is named, and the answer is then unknown."""

from __future__ import annotations


class Exhausted(Exception):
    """The budget ran out: ``what`` was being done."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the budget of {what} ran out")
        self.what = what


#: Steps and states that the smallest share has.
_LEAST = 500, 20_000


class Budget:
    """``steps`` of the search over rules, and ``states`` of automata, for all questions of one run."""

    def __init__(self, steps: int = 100_000, states: int = 1_000_000) -> None:
        self._left = {"rule combinations": steps, "automaton states": states}

    def share(self, parts: int) -> Budget:
        """A budget of its own for one of several questions."""
        steps, states = self._left.values()
        return Budget(max(steps // parts, _LEAST[0]), max(states // parts, _LEAST[1]))

    def step(self) -> None:
        """One more combination of rules. Raises Exhausted."""
        self._spend("rule combinations")

    def state(self) -> None:
        """One more state of an automaton. Raises Exhausted."""
        self._spend("automaton states")

    def _spend(self, what: str) -> None:
        self._left[what] -= 1
        if self._left[what] < 0:
            raise Exhausted(what)
