"""From a call to an outcome on one snapshot, with what is counted and logged about it."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from policyc.engine.decision import decision_document
from policyc.engine.model import Call, Outcome
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


class Decider:
    """Decides calls and records that it did. A request takes `snapshot` once and decides on that alone."""

    __slots__ = ("_metrics", "_serving", "_sink")

    def __init__(self, serving: Serving, metrics: RequestMetrics, sink: DecisionSink | None) -> None:
        self._serving = serving
        self._metrics = metrics
        self._sink = sink

    @property
    def snapshot(self) -> Snapshot | None:
        return self._serving.snapshot

    def decide(self, call: Call, snapshot: Snapshot | None) -> Outcome:
        """The outcome; closed where there is no policy or it is stale."""
        if snapshot is None:
            return NOT_READY
        if time.monotonic() > self._serving.fresh_until:
            return STALE
        return snapshot.evaluator.decide(call)

    def record(
        self,
        surface: str,
        call: Call,
        outcome: Outcome,
        snapshot: Snapshot | None,
        decision_id: str,
        started: float,
    ) -> None:
        """Counts and logs one decision; `started` is the `perf_counter` when its body was complete."""
        seconds = time.perf_counter() - started
        self._metrics.decided(surface, outcome.verdict, seconds)
        if self._sink is not None:
            self._sink.record(
                _event("decision", surface, call, snapshot, decision_id, outcome, int(seconds * 1e6))
            )

    def completed(self, surface: str, call: Call) -> None:
        """Logs that a tool ran; there is nothing to decide."""
        if self._sink is not None:
            self._sink.record(_event("completed", surface, call, self._serving.snapshot, None, None, 0))


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
