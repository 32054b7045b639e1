"""Neighbouring rules that are each about some programs: most command lines run none of them."""

from __future__ import annotations

from policyc.engine.model import Call, Clause, Outcome
from policyc.engine.outcomes import strictest
from policyc.engine.paths import compile_singular, is_singular
from policyc.engine.program import Possible, Step


def programs_of(clause: Clause) -> frozenset[str] | None:
    """The programs without one of which the clause is false; None where it does not name them."""
    names = clause.value.get("program") if clause.op == "shell" and isinstance(clause.value, dict) else None
    if names is None or clause.match != "any" or clause.negated or clause.on_missing:
        return None
    listed = [str(name) for name in names] if isinstance(names, list) else [str(names)]
    if not is_singular(clause.steps) or any("*" in name or name[:1] == "!" for name in listed):
        return None
    return frozenset(listed)


class ShellGroup:
    """Rules with a clause on the command line at one path, each with the programs it is about."""

    __slots__ = ("_get", "_members", "_programs", "steps")

    def __init__(self, gate: Clause) -> None:
        self.steps = gate.steps
        self._get = compile_singular(gate.steps)
        self._members: list[tuple[frozenset[str], Step]] = []
        self._programs: frozenset[str] = frozenset()

    def add(self, programs: frozenset[str], step: Step) -> None:
        self._members.append((programs, step))
        self._programs |= programs

    def decide(self, call: Call, hits: list[object]) -> Outcome | Possible | None:
        from policyc.engine.shell_clauses import facts_of  # only where a plan has shell clauses

        command = self._get(call.args)
        if not isinstance(command, (str, list)):
            return None
        facts = facts_of(call, command)
        known = None if facts.unknown is not None else facts.programs
        if known is not None and known.isdisjoint(self._programs):
            return None
        possible: list[Outcome] = []
        for programs, step in self._members:
            found = None if known is not None and known.isdisjoint(programs) else step(call, hits)
            if isinstance(found, Outcome):
                return strictest([*possible, found])
            if found is not None:
                possible.append(found.outcome)
        return Possible(strictest(possible)) if possible else None
