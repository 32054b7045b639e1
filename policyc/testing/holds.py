"""Holds in memory, for one caller: a held call waits, a person decides, and an approved call passes once."""

from __future__ import annotations

from policyc.engine.model import Call, Outcome
from policyc.runs.canonical import canonical
from policyc.runs.counting import SECOND
from policyc.runs.holds import arguments_of, context_of, denied, passed
from policyc.testing.times import moment

#: Who decides in a test.
REVIEWER = "the test"


class _Hold:
    """``approved`` is None while it waits."""

    __slots__ = ("approved", "expires_at", "ttl")

    def __init__(self, now: int, ttl: int) -> None:
        self.ttl = ttl * SECOND
        self.expires_at = now + self.ttl
        self.approved: bool | None = None


class MemoryHolds:
    """As the server keeps them: what a caller resubmits is the same call under the same rule."""

    def __init__(self) -> None:
        self._standing: dict[bytes, _Hold] = {}
        self._last: _Hold | None = None

    def settle(self, call: Call, outcome: Outcome, now: int, ttl: int) -> Outcome:
        """What becomes of a call that the policy holds for ``ttl`` seconds."""
        identity = _identity(call, outcome)
        hold = self._standing.get(identity)
        if hold is None or hold.expires_at <= now:
            self._last = self._standing[identity] = _Hold(now, ttl)
            return outcome
        if hold.approved is None:
            return outcome
        if not hold.approved:
            return denied(outcome, REVIEWER, None, moment(hold.expires_at))
        del self._standing[identity]
        return passed(outcome, REVIEWER, None)

    def decide(self, approve: bool, now: int) -> str | None:
        """A person decides the last hold; why that cannot be, or None."""
        hold = self._last
        if hold is None:
            return "no call was held before this"
        if hold.approved is not None:
            return "the last hold is decided already"
        if hold.expires_at <= now:
            return f"the last hold ran out of time at {moment(hold.expires_at)}"
        hold.approved = approve
        hold.expires_at = now + hold.ttl
        return None


def _identity(call: Call, outcome: Outcome) -> bytes:
    return canonical(
        [
            call.agent,
            call.run or call.environment_id,
            call.stage,
            call.tool,
            outcome.policy,
            outcome.rule,
            arguments_of(call),
            context_of(call),
        ]
    )
