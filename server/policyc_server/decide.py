"""From a call to an outcome on one snapshot, with what is counted and logged about it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import TypeVar

from policyc.engine.decision import decision_document
from policyc.engine.explain import Trace
from policyc.engine.model import Call, Outcome
from policyc_server.auth.identity import Identity, sign_call
from policyc_server.budgets.counting import Budgets
from policyc_server.errors import late
from policyc_server.events.recorder import Recorder
from policyc_server.lockdown import DENIED, Lockdown
from policyc_server.metrics import RequestMetrics
from policyc_server.sink import DecisionEvent, DecisionSink
from policyc_server.snapshot import Serving, Snapshot

NOT_READY = Outcome("deny", "the policy server has no policy yet; its operator sees why", "not_ready")
STALE = Outcome(
    "deny",
    "the policy server could not confirm its policy for longer than --max-stale; its operator sees why",
    "policy_stale",
)

_LONGEST_NAME = 200

T = TypeVar("T")


class Decider:
    """Decides calls and records that it did. A request takes `snapshot` once and decides on that alone."""

    __slots__ = ("_budgets", "_lockdown", "_metrics", "_recorder", "_serving", "_sink")

    def __init__(
        self,
        serving: Serving,
        metrics: RequestMetrics,
        sink: DecisionSink | None,
        *,
        recorder: Recorder | None = None,
        lockdown: Lockdown | None = None,
        budgets: Budgets | None = None,
    ) -> None:
        self._budgets = budgets
        self._lockdown = lockdown
        self._serving = serving
        self._metrics = metrics
        self._sink = sink
        self._recorder = recorder

    @property
    def snapshot(self) -> Snapshot | None:
        return self._serving.snapshot

    async def count(self, call: Call, snapshot: Snapshot | None, identity: Identity | None = None) -> None:
        """Counts the call for the rules with budgets, which `decide` needs; what nobody would judge is not.

        Raises ApiError as `decide` does."""
        sign_call(identity, call)
        if self._budgets is None or snapshot is None or self._closed(snapshot) is not None:
            return
        counting = snapshot.evaluator.counting(call, None if identity is None else identity.policy)
        if counting or call.cost_cents:
            await self._budgets.count_in_time(call, counting, snapshot.bundle)

    def decide(self, call: Call, snapshot: Snapshot | None, identity: Identity | None = None) -> Outcome:
        """The outcome; closed in a lockdown, and where there is no policy or it is stale.

        Raises ApiError 403 where the call says it is another agent's than its key's."""
        sign_call(identity, call)
        closed = self._closed(snapshot)
        if closed is not None or snapshot is None:
            return closed or NOT_READY
        return snapshot.evaluator.decide(call, None if identity is None else identity.policy)

    def explain(
        self, call: Call, snapshot: Snapshot | None, identity: Identity | None
    ) -> list[dict[str, object]]:
        """What each rule said of the call; none was asked where `decide` answers closed."""
        if snapshot is None or self._closed(snapshot) is not None:
            return []
        trace = Trace()
        snapshot.evaluator.explain(call, trace, None if identity is None else identity.policy)
        return trace.documents()

    def _closed(self, snapshot: Snapshot | None) -> Outcome | None:
        if self._lockdown is not None and self._lockdown.is_on:
            return DENIED
        if snapshot is None:
            return NOT_READY
        return STALE if time.monotonic() > self._serving.fresh_until else None

    def record(
        self,
        surface: str,
        call: Call,
        outcome: Outcome,
        snapshot: Snapshot | None,
        decision_id: str,
        started: float,
        identity: Identity | None = None,
    ) -> Awaitable[None] | None:
        """Counts, logs and keeps one decision; `started` is the `perf_counter` when its body was complete.

        What it returns is to be awaited before the decision is answered: events are durable then."""
        seconds = time.perf_counter() - started
        latency = int(seconds * 1e6)
        self._metrics.decided(surface, outcome, seconds)
        if self._sink is not None:
            self._sink.record(_event("decision", surface, call, snapshot, decision_id, outcome, latency))
        if self._recorder is None:
            return None
        key = None if identity is None else identity.key
        return self._recorder.record(surface, call, outcome, snapshot, decision_id, latency, key)

    def completed(
        self, surface: str, call: Call, error: str | None = None, identity: Identity | None = None
    ) -> None:
        """Logs and keeps that a tool ran; there is nothing to decide."""
        snapshot = self._serving.snapshot
        if self._sink is not None:
            self._sink.record(_event("completed", surface, call, snapshot, None, None, 0))
        if self._recorder is not None:
            self._recorder.completed(call, error, snapshot, None if identity is None else identity.key)


async def in_time(deciding: Awaitable[T], left: float, deadline: float) -> T:
    """What ``deciding`` comes to. Raises ApiError 408 after ``left`` seconds: ``deadline`` is over."""
    try:
        async with asyncio.timeout(left):
            return await deciding
    except TimeoutError:
        raise late(deadline) from None


def new_decision_id() -> str:
    """A random UUID (version 4) as text; a third of the time that uuid.uuid4 takes."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def decision(outcome: Outcome, call: Call, snapshot: Snapshot | None, decision_id: str) -> dict[str, object]:
    """The decision as the API writes it; without a policy `revision` is empty."""
    revision = "" if snapshot is None else snapshot.revision
    return decision_document(outcome, call, decision_id=decision_id, revision=revision)


def _event(
    kind: str,
    surface: str,
    call: Call,
    snapshot: Snapshot | None,
    decision_id: str | None,
    outcome: Outcome | None,
    latency: int,
) -> DecisionEvent:
    return DecisionEvent(
        event=kind,
        at=datetime.now(UTC),
        decision_id=decision_id,
        surface=surface,
        tool=call.tool[:_LONGEST_NAME],
        stage=call.stage,
        agent=_short(call.agent),
        run=_short(call.run),
        session=_short(call.session),
        environment_id=_short(call.environment_id),
        verdict=None if outcome is None else outcome.verdict,
        allowed=None if outcome is None else outcome.allowed,
        rule=None if outcome is None else outcome.rule,
        policy=None if outcome is None else outcome.policy,
        reason_code=None if outcome is None else outcome.reason_code,
        shadow=outcome is not None and outcome.shadow,
        would_be=None if outcome is None else outcome.would_be,
        revision="" if snapshot is None else snapshot.revision,
        latency_us=latency,
    )


def _short(text: str | None) -> str | None:
    return None if text is None else text[:_LONGEST_NAME]
