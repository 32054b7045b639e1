"""What requests read: one immutable snapshot of the policy, and the one reference to it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from policyc.engine.evaluate import Evaluator
from policyc_server.approvals.rules import HoldRule
from policyc_server.events.masking import MaskPath


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One activated policy. Everything that depends on it alone is made before it is activated."""

    evaluator: Evaluator
    bundle: str
    revision: str
    version: int | None
    digest: str
    signed_by: str | None
    activated_at: float
    """Seconds since the epoch."""
    masks: tuple[MaskPath, ...] = ()
    """Paths in the arguments whose values nobody keeps."""
    rules: Mapping[tuple[str, str], HoldRule] = field(default_factory=dict)
    """What the rules that hold calls say about that, by policy and label."""


@dataclass(frozen=True, slots=True)
class ReloadFailure:
    """Why what is on disk is not what is served. Times are seconds since the epoch."""

    code: str
    message: str
    first_at: float
    last_at: float
    attempts: int


@dataclass(frozen=True, slots=True)
class ReloadCounts:
    """Loads by how they ended."""

    activated: int = 0
    unchanged: int = 0
    failed: int = 0


class Serving:
    """The reference that a reload swaps. One thread writes, any number read: each attribute is replaced
    whole, so a reader needs no lock and a request that reads `snapshot` once sees one revision."""

    __slots__ = ("confirmed_at", "counts", "failure", "fresh_until", "max_stale", "snapshot")

    def __init__(self, max_stale: float | None = None) -> None:
        self.max_stale = max_stale
        self.snapshot: Snapshot | None = None
        self.failure: ReloadFailure | None = None
        self.counts = ReloadCounts()
        #: Monotonic time until which decisions may rest on `snapshot`.
        self.fresh_until = float("inf")
        #: Monotonic time when disk and `snapshot` were last known to agree.
        self.confirmed_at: float | None = None

    def confirm(self, at: float) -> None:
        """What was on disk at the monotonic time `at` is what is served."""
        self.confirmed_at = at
        if self.max_stale is not None:
            self.fresh_until = at + self.max_stale

    @property
    def is_stale(self) -> bool:
        return time.monotonic() > self.fresh_until

    @property
    def age(self) -> float | None:
        """Seconds since disk and snapshot were last known to agree."""
        return None if self.confirmed_at is None else time.monotonic() - self.confirmed_at
