"""From a decision to the event that is kept of it."""

from __future__ import annotations

from collections.abc import Awaitable

from policyc.engine.model import Call, Outcome
from policyc_server.clock import microseconds
from policyc_server.errors import ApiError
from policyc_server.events.arguments import fingerprint, summary
from policyc_server.events.event import Completion, Event
from policyc_server.events.masking import hide, secrets_of
from policyc_server.events.writer import EventWriter, NotRecorded
from policyc_server.snapshot import Snapshot

_LONGEST_NAME = 200
_LONGEST_REASON = 2_000


class Recorder:
    """Makes events, masked, and hands them to the writer. ``secret`` is the one of fingerprints."""

    def __init__(self, writer: EventWriter, secret: bytes, *, is_durable: bool) -> None:
        self._writer = writer
        self._secret = secret
        self._is_durable = is_durable

    def record(
        self,
        surface: str,
        call: Call,
        outcome: Outcome,
        snapshot: Snapshot | None,
        decision_id: str,
        latency: int,
        key: str | None = None,
    ) -> Awaitable[None] | None:
        """Keeps one decision; ``latency`` is in microseconds. Where events are durable, await what it
        returns: it raises ApiError 503 when the event is not committed."""
        event = self._event(surface, call, outcome, snapshot, decision_id, latency, key)
        if self._is_durable:
            return self._commit(event)
        self._writer.record(event)
        return None

    def completed(
        self, call: Call, error: str | None, snapshot: Snapshot | None, key: str | None = None
    ) -> None:
        """Keeps that a tool ran, with the ``error`` it ended with: masked, since errors repeat arguments."""
        masks = () if snapshot is None else snapshot.masks
        if error is not None and masks:
            error = hide(error, secrets_of(call, masks))
        self._writer.record(
            Completion(
                at=microseconds(),
                tool=call.tool[:_LONGEST_NAME],
                session=_short(call.session),
                environment_id=_short(call.environment_id),
                call_id=_short(call.call_id),
                key=key,
                fingerprint=fingerprint(self._secret, call.native_args),
                error=None if error is None else error[:_LONGEST_REASON],
            )
        )

    async def _commit(self, event: Event) -> None:
        try:
            await self._writer.commit(event)
        except NotRecorded as error:
            raise ApiError(
                503, "event_not_recorded", f"the decision could not be kept, so it does not stand: {error}"
            ) from None

    def _event(
        self,
        surface: str,
        call: Call,
        outcome: Outcome,
        snapshot: Snapshot | None,
        decision_id: str,
        latency: int,
        key: str | None,
    ) -> Event:
        return Event(
            id=decision_id,
            at=microseconds(),
            surface=surface,
            stage=call.stage,
            agent=_short(call.agent),
            key=key,
            run=_short(call.run),
            session=_short(call.session),
            environment_id=_short(call.environment_id),
            tool=call.tool[:_LONGEST_NAME],
            verdict=outcome.verdict,
            would_be=outcome.would_be,
            rule=outcome.rule,
            policy=outcome.policy,
            revision="" if snapshot is None else snapshot.revision,
            version=None if snapshot is None else snapshot.version,
            reason=outcome.reason[:_LONGEST_REASON],
            reason_code=outcome.reason_code,
            risk_factors=outcome.risk_factors,
            latency_us=latency,
            fingerprint=fingerprint(self._secret, call.native_args),
            args=summary(call, () if snapshot is None else snapshot.masks),
            call_id=_short(call.call_id),
        )


def _short(text: str | None) -> str | None:
    return None if text is None else text[:_LONGEST_NAME]
