"""What is left of a policy for one stage and tool name: steps in order, each over a call."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.model import Call, Outcome
from policyc.engine.outcomes import settled

#: A test over the call and its pattern-set answers; None is unknown.
Test = Callable[[Call, "list[object]"], "bool | None"]
#: A step decides, passes on with None, or says that it may decide.
Step = Callable[[Call, "list[object]"], "Outcome | Possible | None"]


class Program:
    """Steps in order, and the outcome when none decides."""

    __slots__ = ("otherwise", "scans", "steps")

    def __init__(self, steps: list[Step], scans: int, otherwise: Outcome) -> None:
        self.steps = steps
        self.scans = scans
        self.otherwise = otherwise

    def run(self, call: Call) -> Outcome:
        # One slot per merged pattern set: the first step that needs it scans, the others look.
        hits: list[object] = [None] * self.scans
        unsettled: list[Possible] | None = None
        for step in self.steps:
            found = step(call, hits)
            if found is None:
                continue
            if isinstance(found, Outcome):
                return found if unsettled is None else _settled(found, unsettled)
            unsettled = [*(unsettled or ()), found]
        return self.otherwise if unsettled is None else _settled(self.otherwise, unsettled)


class Possible:
    """The outcome of a rule that may match, or of one in shadow, which only takes note."""

    __slots__ = ("in_shadow", "outcome")

    def __init__(self, outcome: Outcome, in_shadow: bool = False) -> None:
        self.outcome = outcome
        self.in_shadow = in_shadow


def _settled(certain: Outcome, unsettled: list[Possible]) -> Outcome:
    possible = [one.outcome for one in unsettled if not one.in_shadow]
    return settled(certain, possible, [one.outcome for one in unsettled if one.in_shadow])
