"""How long one decision takes, by the number of rules, beside the plain walk over the same rules.

Every call is made once before it is measured, then several times; its time is the median of those minus what
reading the clock costs. p50 and p99 are over the calls, so they say what calls cost, not what the machine
did meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns

from policyc.bench.quantiles import median, quantile, timer_overhead_ns
from policyc.bench.scenarios import Scenario
from policyc.engine import walk
from policyc.engine.evaluate import Evaluator
from policyc.engine.glob_index import GlobIndex
from policyc.engine.model import Call, Outcome
from policyc.engine.plan import Plan

_ROUNDS = 5

Decide = Callable[[Call], Outcome]


@dataclass(frozen=True)
class DecisionFigures:
    """One scenario at one size. Times are microseconds."""

    scenario: str
    rules: int
    calls: int
    tools: int
    rules_per_tool: float
    """Rules whose globs cover a tool's name, on average."""
    p50_us: float
    p99_us: float
    target_us: float
    first_us: float
    """The first call of a tool name, which specialises the policy for it: the median over the names."""
    walk_us: float
    """The plain walk: the median over a sample of the calls."""
    times_faster: float
    wrong: int
    """Decisions that were not what the scenario says, or not what the plain walk says."""

    @property
    def is_met(self) -> bool:
        return self.p50_us <= self.target_us


def measure_decisions(scenario: Scenario, *, walked: int) -> DecisionFigures:
    """The figures of ``scenario``; the plain walk decides ``walked`` of its calls."""
    plan = Plan.load(scenario.plan)
    policy = plan.policy_for(None)
    assert policy is not None
    calls = [made.call for made in scenario.calls]
    overhead = timer_overhead_ns()
    firsts = _firsts(Evaluator(plan), calls, overhead)
    evaluator = Evaluator(plan)
    fast = _medians(evaluator.decide, calls, overhead)
    sample = scenario.calls[:: max(1, len(calls) // walked)]
    slow = _medians(
        lambda call: walk.decide(policy, call), [made.call for made in sample], overhead, rounds=1
    )
    wrong = sum(evaluator.decide(made.call).rule != made.rule for made in scenario.calls)
    wrong += sum(walk.decide(policy, made.call).rule != made.rule for made in sample)
    index = GlobIndex([rule.tools for rule in policy.rules])
    names = {call.tool for call in calls}
    p50, walked_p50 = median(fast), median(slow)
    return DecisionFigures(
        scenario=scenario.name,
        rules=len(policy.rules),
        calls=len(calls),
        tools=len(names),
        rules_per_tool=sum(len(index.lookup((name,))) for name in names) / len(names),
        p50_us=p50 / 1e3,
        p99_us=quantile(fast, 0.99) / 1e3,
        target_us=scenario.target_us,
        first_us=median(firsts) / 1e3,
        walk_us=walked_p50 / 1e3,
        times_faster=walked_p50 / max(p50, 1),
        wrong=wrong,
    )


def _firsts(evaluator: Evaluator, calls: Sequence[Call], overhead: int) -> list[int]:
    firsts = {call.tool: call for call in reversed(calls)}
    evaluator.decide(Call("policyc.bench"))  # binds the policy, and builds the set of the infix globs
    return _times(evaluator.decide, list(firsts.values()), overhead)


def _medians(decide: Decide, calls: Sequence[Call], overhead: int, rounds: int = _ROUNDS) -> list[float]:
    for call in calls:
        decide(call)
    timed = [_times(decide, calls, overhead) for _ in range(rounds)]
    return [median(times) for times in zip(*timed, strict=True)]


def _times(decide: Decide, calls: Sequence[Call], overhead: int) -> list[int]:
    """Nanoseconds of each call."""
    gc.collect()
    times = []
    for call in calls:
        call.facts = None  # derived once per call, and each round stands for a new one
        started = perf_counter_ns()
        decide(call)
        times.append(perf_counter_ns() - started - overhead)
    return times
