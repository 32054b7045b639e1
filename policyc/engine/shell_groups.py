"""Neighbouring rules on a command line: most lines are about few of them."""

from __future__ import annotations

from policyc.engine.model import Call, Clause, Outcome
from policyc.engine.outcomes import strictest
from policyc.engine.paths import compile_singular
from policyc.engine.program import Possible, Step
from policyc.engine.shell_index import add, is_gate, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from policyc.engine.shell_index import Index


class ShellGroup:
    """Rules with a clause on the command line at one path, and others between them."""

    __slots__ = ("_always", "_get", "_index", "_steps", "path")

    def __init__(self, path: list[list[object]]) -> None:
        self.path = path
        self._get = compile_singular(path)
        self._steps: list[Step] = []
        self._index: Index = {}
        self._always: set[int] = set()

    def add(self, clauses: tuple[Clause, ...], step: Step) -> None:
        here = [clause for clause in clauses if is_gate(clause) and clause.steps == self.path]
        if not add(self._index, here, len(self._steps)):
            self._always.add(len(self._steps))
        self._steps.append(step)

    def decide(self, call: Call, hits: list[object]) -> Outcome | Possible | None:
        possible: list[Outcome] = []
        for number in sorted(self._asked(call)):
            found = self._steps[number](call, hits)
            if isinstance(found, Outcome):
                return strictest([*possible, found])
            if found is not None:
                possible.append(found.outcome)
        return Possible(strictest(possible)) if possible else None

    def _asked(self, call: Call) -> set[int]:
        """The numbers of the rules that the call's command line may be about."""
        from policyc.engine.shell_clauses import facts_of  # only where a plan has shell clauses

        command = self._get(call.args)
        if not isinstance(command, (str, list)):
            return self._always
        found = lookup(self._index, facts_of(call, command))
        return found | self._always if self._always else found
