"""What is left of a policy for one stage and tool name: steps in order, each over a call."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.model import Call, Outcome
from policyc.engine.outcomes import strictest

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
        possible: list[Outcome] | None = None
        for step in self.steps:
            found = step(call, hits)
            if found is None:
                continue
            if isinstance(found, Outcome):
                return found if possible is None else strictest([*possible, found])
            possible = [*(possible or ()), found.outcome]
        return self.otherwise if possible is None else strictest([*possible, self.otherwise])


class Possible:
    """The outcome of a rule that may match."""

    __slots__ = ("outcome",)

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
