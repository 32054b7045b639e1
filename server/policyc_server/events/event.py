"""An evaluation, and the end of a tool's run, as values that outlive the request."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True):
    """One evaluation. ``at`` is in microseconds since the epoch; ``args`` is the masked summary, as JSON."""

    id: str
    at: int
    surface: str
    stage: str
    agent: str | None
    key: str | None
    run: str | None
    session: str | None
    environment_id: str | None
    tool: str
    verdict: str
    would_be: str | None
    rule: str | None
    policy: str | None
    revision: str
    version: int | None
    reason: str
    reason_code: str
    risk_factors: tuple[str, ...]
    latency_us: int
    fingerprint: str
    args: str
    call_id: str | None


class Completion(msgspec.Struct, frozen=True):
    """A tool that ran, reported by a post event: it ends the decision with the same call of the same key."""

    at: int
    tool: str
    session: str | None
    environment_id: str | None
    call_id: str | None
    key: str | None
    fingerprint: str
    error: str | None

    @property
    def outcome(self) -> str:
        return "success" if self.error is None else "error"
