"""Assertions about what a policy decides, for pytest or any other test of Python.

guard = policy("bundles/payments")
guard.assert_denied(tool="payment.transfer", args={"amount_cents": 100001}, by="cap payment amount")
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from policyc.engine.decision import decision_line
from policyc.engine.explain import Trace, shown
from policyc.engine.model import Call, Outcome
from policyc.loading import Loaded, load_target
from policyc.testing.calls import payload_call, plain_call
from policyc.testing.playing import Play
from policyc.testing.times import NEW_YEAR, read_span


class _Any:
    def __repr__(self) -> str:
        return "ANY"


#: Whichever rule, or the default_verdict.
ANY: Final = _Any()


def policy(target: str | os.PathLike[str], *, name: str | None = None) -> PolicyUnderTest:
    """The bundle folder, policy file or artifact at ``target``, to be asserted about.

    ``name`` is the policy of it that decides; the one that governs a call's agent where it is left out.
    Raises LoadError (policyc.loading) where it cannot be used, and ValueError for a ``name`` it has not.
    """
    loaded = load_target(Path(target))
    if name is not None and name not in loaded.plan.policies:
        raise ValueError(f"{target} has no policy {name!r}; it has {', '.join(loaded.plan.policies)}")
    return PolicyUnderTest(loaded, name)


class _Asserting:
    """``call`` is what ``POST /v1/evaluate`` takes (tool, args, stage, agent, ...), or ``payload``: what an
    agent gives its hook. ``by`` is the label of the rule that decides, None for the default_verdict."""

    def _play(self) -> Play:
        raise NotImplementedError

    def decide(self, **call: Any) -> Outcome:
        """The decision: ``verdict``, ``rule``, ``reason`` and more. Raises CallError for what is no call."""
        return self._play().decide(_read(call))

    def assert_denied(self, *, by: str | _Any | None = ANY, **call: Any) -> Outcome:
        """The call does not run, and no person is asked. Raises AssertionError with the rules considered."""
        __tracebackhide__ = True
        return self._assert(("deny",), by, call)

    def assert_held(self, *, by: str | _Any | None = ANY, **call: Any) -> Outcome:
        """The call waits for a person."""
        __tracebackhide__ = True
        return self._assert(("pending_approval",), by, call)

    def assert_allowed(self, *, by: str | _Any | None = ANY, **call: Any) -> Outcome:
        """The call runs, flagged or with redacted arguments too: the outcome's ``verdict`` says which."""
        __tracebackhide__ = True
        return self._assert(("allow", "audit", "sanitize"), by, call)

    def _assert(self, verdicts: tuple[str, ...], by: str | _Any | None, fields: dict[str, Any]) -> Outcome:
        __tracebackhide__ = True
        play, call = self._play(), _read(fields)
        outcome = play.decide(call)
        if outcome.verdict not in verdicts or (by is not ANY and outcome.rule != by):
            raise AssertionError(_message(play, call, fields, outcome, verdicts, by))
        return outcome


class PolicyUnderTest(_Asserting):
    """A policy about which things are asserted: each call is on a run of its own."""

    def __init__(self, loaded: Loaded, name: str | None) -> None:
        self._loaded = loaded
        self._name = name

    def run(self) -> Run:
        """Calls on one run: counters and holds are kept between them."""
        return Run(self._play())

    def _play(self) -> Play:
        return Play(self._loaded.evaluator, self._name, NEW_YEAR)


class Run(_Asserting):
    """Calls of one run, in order, under a clock that stands still but for ``wait``."""

    def __init__(self, play: Play) -> None:
        self._same = play

    def wait(self, span: str) -> None:
        """The clock moves on by a whole number and its unit: ``61s``, ``15m``."""
        found = read_span(span)
        if found is None:
            raise ValueError(f"{span!r} is no span of time: a whole number and ms, s, m, h or d")
        self._same.now += found

    def approve(self) -> None:
        """A person approves the last hold."""
        self._settle(approve=True)

    def deny(self) -> None:
        """A person denies the last hold."""
        self._settle(approve=False)

    def _settle(self, *, approve: bool) -> None:
        problem = self._same.settle(approve)
        if problem is not None:
            raise AssertionError(f"there is nothing to decide: {problem}")

    def _play(self) -> Play:
        return self._same


def _read(fields: dict[str, Any]) -> Call:
    if "payload" not in fields:
        return plain_call(fields)
    beside = sorted(fields.keys() - {"payload", "agent"})
    if beside:
        raise TypeError(f"beside a payload there may be the agent alone, not {', '.join(beside)}")
    return payload_call(fields["payload"], fields)


def _message(
    play: Play,
    call: Call,
    fields: dict[str, Any],
    outcome: Outcome,
    verdicts: tuple[str, ...],
    by: str | _Any | None,
) -> str:
    trace = Trace()
    play.report(call, trace)
    wanted = " or ".join(verdicts)
    if by is not ANY:
        wanted += " by the default_verdict" if by is None else f' by rule "{by}"'
    lines = [f"expected {wanted}; {decision_line(outcome)}", f"call: {shown(fields)}"]
    return "\n".join([*lines, *(f"  {line}" for line in trace.short_lines())])
