"""What becomes of a mutant: a test fails, a call that no test makes tells it apart, or none does."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from policyc.analysis.budget import Budget
from policyc.analysis.difference import Comparison, compare
from policyc.analysis.plans import meetings
from policyc.analysis.solver import Solver
from policyc.analysis.witness import Document
from policyc.engine.calls import CallError, read_call
from policyc.engine.decision import arguments
from policyc.engine.model import Call, Outcome
from policyc.engine.walk import decide
from policyc.loading import Loaded
from policyc.testing.mutation.candidates import candidates, reworded
from policyc.testing.mutation.killing import Tests
from policyc.testing.mutation.mutants import Mutant
from policyc.testing.mutation.walks import Asked, Walks
from policyc.testing.suite import Suite

#: What proving that no call notices one mutant may cost.
_STEPS, _STATES = 500, 20_000
#: Calls of tests that others are made of, for one mutant.
_NEAR = 8
_NOT_SHOWN = "what is taken out of the arguments differs, and no call was found that shows it"


@dataclass(frozen=True, slots=True)
class Survival:
    """``call`` would kill a mutant: ``policy`` decides it as ``before``, and after the change as ``after``.
    ``named`` is whether a test has to name the policy, which governs no agent."""

    policy: str
    call: Document
    before: Outcome
    after: Outcome
    named: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """``status`` is killed, equivalent, surviving or unknown; ``why`` is the test that kills, or what the
    analyser could not settle."""

    mutant: Mutant
    status: str
    why: str | None = None
    survival: Survival | None = None


class Judge:
    """Judges mutants of ``loaded`` by the tests of ``suite``, which pass."""

    def __init__(self, loaded: Loaded, suite: Suite) -> None:
        self._plan = loaded.plan
        self._walks = {name: Walks(policy) for name, policy in self._plan.policies.items()}
        self._tests = Tests(suite, loaded, self._walks)
        self._solver = Solver(Budget())
        #: The policies that govern some agent, and one such agent (None: calls that name none).
        self._agents = {
            it.old.name: it.agent for it in meetings(self._plan, self._plan, self._solver) if it.old is it.new
        }
        #: Calls that would kill mutants of a rule: others of the rule may be made of them.
        self._made: dict[tuple[str, str | None], list[tuple[Document, Call]]] = defaultdict(list)

    def judge(self, mutant: Mutant) -> Judged:
        killer = next(self._tests.killers(mutant), None)
        if killer is not None:
            return Judged(mutant, "killed", killer)
        survival = next(self._survivals(mutant), None)
        return self._reasoned(mutant) if survival is None else Judged(mutant, "surviving", None, survival)

    def _survivals(self, mutant: Mutant) -> Iterator[Survival]:
        for name in self._policies(mutant):
            for document in self._tried(mutant, name):
                found = self._told_apart(mutant, name, document)
                if found is not None:
                    yield found

    def _policies(self, mutant: Mutant) -> list[str]:
        """Those of the mutant's policies that govern an agent, all where none does."""
        return [name for name in mutant.edits if name in self._agents] or list(mutant.edits)

    def _tried(self, mutant: Mutant, name: str) -> Iterator[Document]:
        if mutant.focus is None:
            return
        policy, agent = self._plan.policies[name], self._agents.get(name)
        yield from candidates(policy, mutant.focus, agent, self._solver)
        original = policy.rules[mutant.edits[name].at]
        asked = Asked(original, policy)
        near = [
            document
            for document, call in (*self._tests.calls(name), *self._made[name, original.label])
            if any(asked.answer(part) is not None for part in call.parts)
        ]
        yield from near[:_NEAR]
        yield from reworded(near[:_NEAR], original, mutant.focus)

    def _told_apart(self, mutant: Mutant, name: str, document: Document) -> Survival | None:
        """Whether the real evaluator decides the call otherwise after the change."""
        try:
            call = _read(json.dumps(document))
        except CallError:
            return None
        policy, edit = self._plan.policies[name], mutant.edits[name]
        if not any(self._walks[name].notices(edit, part) for part in call.parts):
            return None
        before, after = decide(policy, call), decide(edit.apply(policy), call)
        if _told(before, call) == _told(after, call):
            return None
        self._made[name, mutant.rule].append((document, call))
        return Survival(name, document, before, after, name not in self._agents)

    def _reasoned(self, mutant: Mutant) -> Judged:
        unknown: list[str] = []
        for name in self._policies(mutant):
            found = self._compared(mutant, name)
            for change in found.changes:
                survival = self._told_apart(mutant, name, change.witness)
                if survival is not None:
                    return Judged(mutant, "surviving", None, survival)
            unknown += found.unknown or ([_NOT_SHOWN] if found.changes else [])
        return Judged(mutant, "unknown", unknown[0]) if unknown else Judged(mutant, "equivalent")

    def _compared(self, mutant: Mutant, name: str) -> Comparison:
        policy = self._plan.policies[name]
        budget = Budget(_STEPS, _STATES)
        return compare(policy, mutant.edits[name].apply(policy), agent=self._agents.get(name), budget=budget)


def _told(outcome: Outcome, call: Call) -> tuple[object, ...]:
    """What a test can say of a decision, but for the words."""
    rewritten = arguments(outcome, call) if outcome.verdict == "sanitize" else None
    return outcome.verdict, outcome.would_be, rewritten


@lru_cache(maxsize=2048)
def _read(document: str) -> Call:
    return read_call(json.loads(document))
