"""Which calls two policies decide differently: each change is a pair of deciding rules, and a call.

Rules that both have, in the same order, decide the same where no other rule does: only calls that another
rule, or another default, may match are looked at.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from policyc.analysis.alignment import aligned
from policyc.analysis.budget import Budget, Exhausted
from policyc.analysis.cases import Case, assumptions, cases_of, without_destination
from policyc.analysis.conditions import Question
from policyc.analysis.joint_walk import Parting, Placed, partings
from policyc.analysis.names import tells_native_mcp
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.analysis.walk import may_hold
from policyc.analysis.witness import Document, witnesses
from policyc.engine.calls import read_call
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import STRICTNESS, Outcome, Policy
from policyc.engine.plan import Plan

#: Calls of a rule that are tried before reasoning, and regions of a pair of rules in which one is sought.
_FIRST = 15
_JUDGED = 5


@dataclass(frozen=True, slots=True)
class Change:
    """Calls that ``old`` decides and that ``new`` decides now, with one of them."""

    old: Case
    new: Case
    before: Outcome
    after: Outcome
    witness: Document

    @property
    def direction(self) -> str:
        ranks = [STRICTNESS.index(outcome.verdict) for outcome in (self.before, self.after)]
        if ranks[0] == ranks[1]:
            ranks = [STRICTNESS.index(it.would_be or it.verdict) for it in (self.before, self.after)]
        return "loosened" if ranks[0] < ranks[1] else "tightened"


@dataclass(slots=True)
class Comparison:
    """``changes``, each pair of rules once; ``unknown`` says what could not be settled. Without any, it is
    proved that nothing else changes."""

    changes: list[Change] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def rest(self) -> str:
        return "unknown" if self.unknown else "proved"


def compare(
    old: Policy,
    new: Policy,
    *,
    agent: str | None = None,
    budget: Budget | None = None,
    calls: Sequence[Document] = (),
) -> Comparison:
    """How decisions for ``agent`` change. ``calls`` are tried where reasoning finds none."""
    return _Comparing(old, new, agent, Solver(budget or Budget()), calls).run()


class _Comparing:
    def __init__(
        self,
        old: Policy,
        new: Policy,
        agent: str | None,
        solver: Solver,
        calls: Sequence[Document],
    ) -> None:
        self._policies = old, new
        self._cases = [cases_of(old), cases_of(new)]
        if old.shadow is not new.shadow:
            self._cases = [
                (without_destination(policy), *cases)
                for policy, cases in zip(self._policies, self._cases, strict=True)
            ]
        self._agent = agent
        self._solver = solver
        self._same = aligned(self._cases[0], self._cases[1], solver)
        self._deciding: list[dict[tuple[str | None, str | None], Case]] = [
            {(case.label, case.place): case for case in side} for side in self._cases
        ]
        self._calls = calls
        self._evaluators = [_evaluator(policy) for policy in self._policies]
        self._tried: set[str] = set()
        self._found = Comparison()
        self._settled: set[tuple[str, str]] = set()
        self._looked: set[tuple[object, ...]] = set()
        self._judged: Counter[tuple[str, str]] = Counter()
        self._open: dict[tuple[str, str], str] = {}

    def run(self) -> Comparison:
        changed = self._changed()
        whole = self._solver.budget
        for side, place, case in changed:
            self._solver.budget = whole.share(len(changed))
            try:
                self._look(side, place, case)
            except Exhausted as error:
                named = f"{case.label or 'the default'} ({case.place})"
                self._found.unknown.append(f"what changes where {named} decides: {error}")
        self._solver.budget = whole
        for document in self._calls if self._open else ():
            self._try({**document, "agent": self._agent} if self._agent else document)
        self._found.unknown += self._open.values()
        if changed and any(tells_native_mcp(case.globs or ()) for side in self._cases for case in side):
            self._found.unknown.append("globs tell an MCP tool's native name from its canonical one")
        return self._found

    def _changed(self) -> list[tuple[int, int, Case]]:
        """The cases that are not in both policies in the same order, with their side and place."""
        kept = set(self._same), set(self._same.values())
        return [
            (side, place, case)
            for side in (0, 1)
            for place, case in enumerate(self._cases[side])
            if place not in kept[side]
        ]

    def _look(self, side: int, place: int, case: Case) -> None:
        about = case.stages, case.globs, case.conditions
        if about in self._looked:
            return
        self._looked.add(about)
        twin = self._twin(place, about) if side == 0 else None
        for region, truth in assumptions(case, Region()):
            if truth is False or self._solver.is_empty(region):
                continue
            if region.answers:
                # Reasoning about open questions is long: the rule's own calls come first.
                for document in islice(witnesses(region, self._agent, self._solver), _FIRST):
                    self._solver.budget.step()
                    self._try(document)
            old, new = ([*self._meeting(cases, region)] for cases in self._cases)
            blurred = any(_blurs(earlier) for at, earlier in old if at < place)
            for parting in partings(old, new, self._same, region, self._solver):
                self._judge(parting)
                if twin is not None and truth and not blurred and (case.key, twin.key) in self._settled:
                    # Wherever one is reached so is the other: no other pair has either of them, except one
                    # with another changed rule, which is looked at by itself.
                    break

    def _twin(self, place: int, about: tuple[object, ...]) -> Case | None:
        """The case that stands in the other policy right where this one stood, with the same conditions."""
        after = self._same.get(place - 1, -1) + 1 if place - 1 in self._same or place == 0 else None
        if after is None or after in self._same.values():
            return None
        case = self._cases[1][after]
        if case.noted or self._cases[0][place].noted:
            return None
        return case if (case.stages, case.globs, case.conditions) == about else None

    def _meeting(self, cases: Sequence[Case], region: Region) -> Iterator[Placed]:
        return (placed for placed in enumerate(cases) if may_hold(placed[1], region, self._solver))

    def _judge(self, parting: Parting) -> None:
        pair = parting.old.key, parting.new.key
        self._judged[pair] += 1
        if pair in self._settled or self._judged[pair] > _JUDGED:
            return
        for document in witnesses(parting.region, self._agent, self._solver):
            self._solver.budget.step()
            self._try(document)
            if pair in self._settled:
                return
        named = " to ".join(
            f"{case.label or 'the default'} ({case.place})" for case in (parting.old, parting.new)
        )
        # What a document says has one name, or an agent's.
        who = (
            "a call" if self._solver.name(parting.region.names) else "a call of an MCP tool by both its names"
        )
        self._open[pair] = f"whether {who} goes from {named}: no call was found that shows it"

    def _try(self, document: Document) -> None:
        """Asks the real evaluator, whose word it is which rules decide."""
        text = json.dumps(document, sort_keys=True)
        if text in self._tried:
            return
        self._tried.add(text)
        call = read_call(document)
        before, after = (
            evaluator.decide(call, policy.name)
            for evaluator, policy in zip(self._evaluators, self._policies, strict=True)
        )
        if _outcome(before) == _outcome(after):
            return
        old, new = (self._case(side, outcome) for side, outcome in enumerate((before, after)))
        if (old.key, new.key) not in self._settled:
            self._settled.add((old.key, new.key))
            self._open.pop((old.key, new.key), None)
            self._found.changes.append(Change(old, new, before, after, document))

    def _case(self, side: int, outcome: Outcome) -> Case:
        """The case that came to the outcome."""
        cases = self._cases[side]
        if outcome.reason_code == "no_destination":
            return cases[0]
        return self._deciding[side].get((outcome.rule, outcome.source), cases[-1])


def _blurs(case: Case) -> bool:
    """Whether what is decided after the case may be put down to it."""
    is_open = any(isinstance(asked, Question) for asked in case.conditions)
    return case.noted or (is_open and case.effect.verdict != "deny")


def _evaluator(policy: Policy) -> Evaluator:
    return Evaluator(Plan(policy.name, {policy.name: policy}, policy.name, [], {}))


def _outcome(outcome: Outcome) -> tuple[object, ...]:
    return outcome.verdict, outcome.would_be, str(outcome.sanitize)
