"""A hold and its life: pending, then approved, denied or expired; approved, then consumed once or expired."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

PENDING = "pending"
APPROVED = "approved"
DENIED = "denied"
EXPIRED = "expired"
CONSUMED = "consumed"
STATES = (PENDING, APPROVED, DENIED, EXPIRED, CONSUMED)

#: Microseconds by which clocks may differ. What happened later than this from now was noted by a clock
#: that is set back since: how much of its time is over cannot be known.
SET_BACK = 300_000_000

#: Why a hold expired: its time ran out, or the rule it stood for is another one now.
TIMED_OUT = "timed_out"
RULE_CHANGED = "rule_changed"


@dataclass(frozen=True)
class Hold:
    """A call that waits for a person, and the rule that says so. ``ttl`` is in seconds; ``context`` is what
    the rules see beside the arguments (canonical name, cwd, os, realpaths, skill), as canonical JSON."""

    key: str | None
    agent: str | None
    run: str | None
    session: str | None
    surface: str
    stage: str
    tool: str
    policy: str
    rule: str
    rule_digest: str
    revision: str
    source: str | None
    reason: str
    reason_code: str
    risk_factors: tuple[str, ...]
    approvers: tuple[str, ...]
    fingerprint: str
    args: str
    args_masked: str
    context: str
    ttl: int

    @property
    def identity(self) -> str:
        """What makes two holds one: a digest over who calls what, under which rule."""
        parts = (
            self.key,
            self.agent,
            self.run,
            self.stage,
            self.tool,
            self.policy,
            self.rule,
            self.fingerprint,
            self.context,
        )
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Approval:
    """A hold as the store has it. Times are microseconds since the epoch; ``args`` goes once decided."""

    id: str
    state: str
    cause: str | None
    hold: str
    key: str | None
    agent: str | None
    run: str | None
    session: str | None
    surface: str
    stage: str
    tool: str
    policy: str
    rule: str
    rule_digest: str
    revision: str
    source: str | None
    reason: str
    reason_code: str
    risk_factors: tuple[str, ...]
    approvers: tuple[str, ...]
    fingerprint: str
    args: str | None
    args_masked: str
    context: str
    nonce: str
    opened_at: int
    expires_at: int
    decided_at: int | None
    decided_by: str | None
    decided_from: str | None
    comment: str | None
    consumed_at: int | None
    consumed_by: str | None

    @classmethod
    def of(cls, row: Row[Any]) -> Approval:
        columns = row._asdict()
        lists = {name: tuple(json.loads(columns[name])) for name in ("risk_factors", "approvers")}
        return cls(**{**columns, **lists})

    @property
    def ttl(self) -> int:
        """Seconds that a decision may take, and that it then is good for; of a pending hold."""
        return (self.expires_at - self.opened_at) // 1_000_000

    def is_overdue(self, now: int) -> bool:
        """Whether its time ran out and nothing has noticed yet."""
        last = self.decided_at or self.opened_at
        return self.state in (PENDING, APPROVED) and (self.expires_at <= now or last > now + SET_BACK)

    def token(self, secret: bytes) -> str:
        """The one-use token: nothing to store, and nothing that can be made without the server's secret."""
        signature = hmac.new(secret, f"{self.id}.{self.nonce}".encode(), hashlib.sha256).hexdigest()
        return f"{self.id}.{signature}"


def approval_id(token: str) -> str:
    """The id in a token; whether the token is real, the approval's own says."""
    return token.partition(".")[0]
