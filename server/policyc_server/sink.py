"""Where decisions go after they were answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import msgspec


class DecisionEvent(msgspec.Struct, frozen=True):
    """One decision, or one tool that completed: names, ids and the verdict, never arguments or reasons,
    which may quote them."""

    event: str
    """`decision` or `completed`."""
    at: datetime
    decision_id: str | None
    surface: str
    tool: str
    stage: str
    agent: str | None
    run: str | None
    session: str | None
    environment_id: str | None
    verdict: str | None
    allowed: bool | None
    rule: str | None
    policy: str | None
    reason_code: str | None
    shadow: bool
    would_be: str | None
    revision: str
    latency_us: int


@dataclass(frozen=True)
class SinkStatus:
    """What became of the events so far."""

    written: int
    dropped: int
    waiting: int
    error: str | None


class DecisionSink(Protocol):
    """Takes events off the request path. `record` is called for each decision: it never blocks and never
    raises, and what it cannot take it counts as dropped."""

    def record(self, event: DecisionEvent) -> None: ...

    def status(self) -> SinkStatus: ...

    def close(self, timeout: float) -> None:
        """Writes what waits, for at most `timeout` seconds; the rest counts as dropped."""
