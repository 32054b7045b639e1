"""One run under one evaluator: its clock, counters and holds, and the decision of each call."""

from __future__ import annotations

from policyc.engine.evaluate import Evaluator
from policyc.engine.model import NOTHING_COUNTED, Call, Outcome, Rule
from policyc.engine.walk import Reporter
from policyc.runs.counting import Tally
from policyc.runs.holds import DEFAULT_TTL, joint_approvers, redacted, refused
from policyc.runs.memory import MemoryCounters
from policyc.testing.holds import MemoryHolds


class Play:
    """Calls of one run, decided in order by ``policy``, where that is given. It begins at ``now``,
    microseconds since the epoch. A ``watcher`` hears of the rules that each call came to.

    A call is changed while it is decided, so it is in one play at a time.
    """

    def __init__(
        self, evaluator: Evaluator, policy: str | None, now: int, watcher: Reporter | None = None
    ) -> None:
        self._evaluator = evaluator
        self._name = policy
        self._watcher = watcher
        self._counters: MemoryCounters | None = None
        self._holds: MemoryHolds | None = None
        self.now = now

    def decide(self, call: Call) -> Outcome:
        """The outcome, with what was counted and approved before, as the server gives it."""
        self._count(call)
        if self._watcher is not None:
            self.report(call, self._watcher)
        outcome = self._evaluator.decide(call, self._name)
        if outcome.verdict != "pending_approval":
            return outcome
        self._holds = self._holds or MemoryHolds()
        parts = self._evaluator.outcomes(call, self._name)
        rules = [self._rule(part) for part in parts if part.verdict == "pending_approval"]
        if joint_approvers([_approvers(rule) for rule in rules]) is None:
            return refused(outcome, "approval_split")
        return redacted(self._holds.settle(call, outcome, self.now, min(map(_ttl, rules))), parts)

    def settle(self, approve: bool) -> str | None:
        """A person decides the last hold; why that cannot be, or None."""
        return (self._holds or MemoryHolds()).decide(approve, self.now)

    def report(self, call: Call, reporter: Reporter) -> None:
        """Walks the rules for the last call again, for ``reporter``."""
        self._evaluator.explain(call, reporter, self._name)

    def _count(self, call: Call) -> None:
        for part in call.parts:
            part.counted = NOTHING_COUNTED
        counting = self._evaluator.counting(call, self._name)
        if not counting and not call.cost_cents:
            return
        self._counters = self._counters or MemoryCounters()
        tally = Tally(call, counting, self._evaluator.plan.bundle, self.now)
        tally.tell(*self._counters.count(tally.additions, tally.advances, self.now))

    def _rule(self, outcome: Outcome) -> Rule:
        policy = self._evaluator.plan.policies[outcome.policy or ""]
        return next(rule for rule in policy.rules if rule.label == outcome.rule)


def _approvers(rule: Rule) -> list[str]:
    named = (rule.approval or {}).get("approvers")
    return named if isinstance(named, list) else []


def _ttl(rule: Rule) -> int:
    ttl = (rule.approval or {}).get("ttl")
    return ttl if isinstance(ttl, int) else DEFAULT_TTL
