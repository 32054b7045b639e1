"""One case under one evaluator: its clock, counters and holds, and the decision of each call."""

from __future__ import annotations

from policyc.engine.evaluate import Evaluator
from policyc.engine.model import NOTHING_COUNTED, Call, Outcome, Policy
from policyc.engine.walk import Reporter, decide
from policyc.runs.counting import Tally
from policyc.runs.holds import DEFAULT_TTL
from policyc.runs.memory import MemoryCounters
from policyc.testing.case import Case
from policyc.testing.holds import MemoryHolds


class Play:
    """The run of ``case``. Calls are decided in order; a call of a case is in one play at a time. A
    ``watcher`` hears of the rules that each call came to."""

    def __init__(self, evaluator: Evaluator, case: Case, watcher: Reporter | None = None) -> None:
        self.case = case
        self._evaluator = evaluator
        self._watcher = watcher
        self._counters: MemoryCounters | None = None
        self._holds: MemoryHolds | None = None
        self.now = case.now

    def decide(self, call: Call) -> Outcome:
        """The outcome, with what was counted and approved before, as the server gives it."""
        self._count(call)
        if self._watcher is not None:
            self.report(call, self._watcher)
        outcome = self._evaluator.decide(call, self.case.policy)
        if outcome.verdict != "pending_approval":
            return outcome
        self._holds = self._holds or MemoryHolds()
        return self._holds.settle(call, outcome, self.now, self._ttl(outcome))

    def settle(self, approve: bool) -> str | None:
        """A person decides the last hold; why that cannot be, or None."""
        return (self._holds or MemoryHolds()).decide(approve, self.now)

    def report(self, call: Call, reporter: Reporter) -> None:
        """Walks the rules for the last call again, for ``reporter``."""
        decide(self._policy(call), call, reporter)

    def _count(self, call: Call) -> None:
        for part in call.parts:
            part.counted = NOTHING_COUNTED
        counting = self._evaluator.counting(call, self.case.policy)
        if not counting and not call.cost_cents:
            return
        self._counters = self._counters or MemoryCounters()
        tally = Tally(call, counting, self._evaluator.plan.bundle, self.now)
        tally.tell(*self._counters.count(tally.additions, tally.advances, self.now))

    def _policy(self, call: Call) -> Policy | None:
        plan, name = self._evaluator.plan, self.case.policy
        return plan.policy_for(call.agent) if name is None else plan.policies.get(name)

    def _ttl(self, outcome: Outcome) -> int:
        policy = self._evaluator.plan.policies[outcome.policy or ""]
        rule = next(rule for rule in policy.rules if rule.label == outcome.rule)
        ttl = (rule.approval or {}).get("ttl")
        return ttl if isinstance(ttl, int) else DEFAULT_TTL
