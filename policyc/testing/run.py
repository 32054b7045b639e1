"""Runs the cases of a suite and says which of them hold."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from policyc.engine.evaluate import Evaluator
from policyc.engine.explain import Trace
from policyc.engine.model import Outcome, Policy
from policyc.engine.plan import Plan
from policyc.loading import Loaded
from policyc.testing.case import Ask, Case, Settle, Wait
from policyc.testing.coverage import Point, Seen
from policyc.testing.differences import Difference, differences
from policyc.testing.parallel import in_parallel
from policyc.testing.playing import Play
from policyc.testing.suite import Suite


@dataclass(frozen=True, slots=True)
class Failure:
    """Where a case failed: the line of the step, and either what its decision says otherwise, with the
    ``trace`` of the rules considered, or the ``problem`` of a step that could not be taken."""

    line: int
    problem: str | None = None
    differences: tuple[Difference, ...] = ()
    ask: Ask | None = None
    outcome: Outcome | None = None
    trace: Trace = field(default_factory=Trace)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a case."""

    case: Case
    failure: Failure | None
    seconds: float

    @property
    def passed(self) -> bool:
        return self.failure is None


class Runner:
    """Runs ``suite`` under the policies of ``loaded``, on ``jobs`` processes. With ``cover`` it takes down in
    ``points`` what the walks of its cases came to (coverage.py)."""

    def __init__(self, suite: Suite, loaded: Loaded, *, jobs: int = 1, cover: bool = False) -> None:
        self._suite = suite
        self._plan = loaded.plan
        self._evaluator = loaded.evaluator
        self._jobs = jobs
        self._cover = cover
        self.points: set[Point] = set()

    def results(self) -> list[Result]:
        """The result of every case, in their order."""
        return list(self.run())

    def run(self) -> Iterator[Result]:
        """The results as they come, in the order of the cases. Raises WorkerDied."""
        for results, points in in_parallel(self._chunk, self._suite.cases, self._jobs):
            self.points |= points
            yield from results

    def _chunk(self, cases: Sequence[Case]) -> tuple[list[Result], set[Point]]:
        seen = Seen() if self._cover else None
        return [self._result(case, seen) for case in cases], set() if seen is None else seen.points

    def _result(self, case: Case, seen: Seen | None) -> Result:
        started = time.perf_counter()
        failure = _failure(Play(self._evaluator, case.policy, case.now, seen), case)
        return Result(case, failure, time.perf_counter() - started)

    def still_passes(self, policies: Mapping[str, Policy], only: Iterable[Case] | None = None) -> bool:
        """Whether every case passes with ``policies`` in place of those of the same name.

        It stops at the first that fails. Without ``only``, cases that other policies decide are left out.
        """
        plan = self._plan
        changed = Plan(
            plan.bundle, {**plan.policies, **policies}, plan.default_policy, plan.bindings, plan.data
        )
        evaluator = Evaluator(changed)
        cases = self.decided_by(policies) if only is None else only
        return all(_holds(evaluator, case) for case in cases)

    def decided_by(self, policies: Iterable[str]) -> list[Case]:
        """The cases of which one of ``policies`` decides a call."""
        names = frozenset(policies)
        return [case for case in self._suite.cases if not names.isdisjoint(deciding(case, self._plan))]


def deciding(case: Case, plan: Plan) -> set[str]:
    """The names of the policies that decide the calls of ``case``."""
    if case.policy is not None:
        return {case.policy}
    found = (plan.policy_for(ask.call.agent) for ask in case.asks)
    return {policy.name for policy in found if policy is not None}


def _failure(play: Play, case: Case) -> Failure | None:
    """The first step that does not go as the case says."""
    for step in case.steps:
        failure = _step(play, step)
        if failure is not None:
            return failure
    return None


def _step(play: Play, step: Ask | Wait | Settle) -> Failure | None:
    if isinstance(step, Wait):
        play.now += step.microseconds
        return None
    if isinstance(step, Settle):
        problem = play.settle(step.approve)
        return None if problem is None else Failure(step.line, f"nothing to decide: {problem}")
    outcome = play.decide(step.call)
    found = tuple(differences(step.expected, outcome, step.call))
    if not found:
        return None
    trace = Trace()
    play.report(step.call, trace)
    return Failure(step.line, None, found, step, outcome, trace)


def _holds(evaluator: Evaluator, case: Case) -> bool:
    """As ``_failure`` finds none, without finding out why."""
    play = Play(evaluator, case.policy, case.now)
    for step in case.steps:
        if isinstance(step, Ask):
            outcome = play.decide(step.call)
            if next(differences(step.expected, outcome, step.call), None) is not None:
                return False
        elif isinstance(step, Wait):
            play.now += step.microseconds
        elif play.settle(step.approve) is not None:
            return False
    return True
