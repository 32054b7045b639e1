"""Holds in the store. Every change is a transaction, and of two that race one wins."""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, and_, func, insert, or_, select, update

from policyc_server.approvals.approval import (
    APPROVED,
    CONSUMED,
    DENIED,
    EXPIRED,
    PENDING,
    RULE_CHANGED,
    TIMED_OUT,
    Approval,
    Hold,
)
from policyc_server.store import schema
from policyc_server.store.writing import insert_into, storable

_SECOND = 1_000_000
_table = schema.approvals


class TooManyHolds(RuntimeError):
    """The run has as many pending holds as it may have."""


@dataclass(frozen=True)
class Decision:
    """What a person said about a hold: ``by`` whom, from where (``origin``, an address), and why."""

    approve: bool
    by: str
    origin: str
    comment: str | None


class ApprovalStore:
    """Times are microseconds since the epoch. Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def open(self, hold: Hold, now: int, *, cap: int) -> Approval:
        """The open hold for this call, made where there is none. Raises TooManyHolds.

        One that stood for another wording of the rule is over: the person would answer another question.
        """
        with self._engine.begin() as connection:
            _expire(connection, now)
            found = _first(connection, _table.c.hold == hold.identity, _table.c.state == PENDING)
            if found is not None and found.rule_digest == hold.rule_digest:
                return found
            if found is not None:
                _end(connection, [found], RULE_CHANGED, now)
            elif hold.run is not None and _pending_of_run(connection, hold.run) >= cap:
                raise TooManyHolds(f"{cap} calls of this run wait for a person already")
            return _insert(connection, hold, now)

    def get(self, approval: str, now: int) -> Approval | None:
        with self._engine.begin() as connection:
            _expire(connection, now)
            return _first(connection, _table.c.id == approval)

    def latest(self, hold: Hold, now: int) -> Approval | None:
        """The newest approval for exactly this call and rule, in whatever state."""
        with self._engine.begin() as connection:
            _expire(connection, now)
            return _first(connection, _table.c.hold == hold.identity)

    def newest(
        self, now: int, *, states: Sequence[str] = (), limit: int = 100, before: int | None = None
    ) -> list[Approval]:
        """The newest first; ``before`` is an ``opened_at``."""
        query = select(_table).order_by(_table.c.opened_at.desc(), _table.c.id).limit(limit)
        if states:
            query = query.where(_table.c.state.in_(states))
        if before is not None:
            query = query.where(_table.c.opened_at < before)
        with self._engine.begin() as connection:
            _expire(connection, now)
            return [Approval.of(row) for row in connection.execute(query)]

    def count_pending(self, now: int) -> int:
        with self._engine.connect().execution_options(reads=True) as connection:
            query = select(func.count()).where(_table.c.state == PENDING, _table.c.expires_at > now)
            return int(connection.execute(query).scalar_one())

    def decide(
        self, approval: str, decision: Decision, now: int, *, ttl: int
    ) -> tuple[Approval | None, bool]:
        """The approval afterwards, and whether this decision is what stands. The first one wins.

        An approval is good for ``ttl`` seconds from now.
        """
        with self._engine.begin() as connection:
            _expire(connection, now)
            changed = connection.execute(
                update(_table)
                .where(_table.c.id == approval, _table.c.state == PENDING)
                .values(
                    state=APPROVED if decision.approve else DENIED,
                    args=None,
                    decided_at=now,
                    decided_by=storable(decision.by),
                    decided_from=decision.origin,
                    comment=storable(decision.comment),
                    expires_at=now + ttl * _SECOND,
                )
            ).rowcount
            if changed:
                action = APPROVED if decision.approve else DENIED
                _log(connection, [approval], action, now, decision.by, decision.origin, decision.comment)
            return _first(connection, _table.c.id == approval), bool(changed)

    def consume(self, approval: str, now: int, *, attempt: str | None) -> bool:
        """Whether the approval lets the call pass now: once, or again for the same ``attempt``."""
        with self._engine.begin() as connection:
            changed = connection.execute(
                update(_table)
                .where(_table.c.id == approval, _table.c.state == APPROVED, _table.c.expires_at > now)
                .values(state=CONSUMED, consumed_at=now, consumed_by=attempt)
            ).rowcount
            if changed:
                _log(connection, [approval], CONSUMED, now, attempt, None, None)
                return True
            if attempt is None:
                return False
            same = (_table.c.id == approval, _table.c.state == CONSUMED, _table.c.consumed_by == attempt)
            return _first(connection, *same) is not None

    def end(self, approval: Approval, now: int) -> None:
        """Ends an approval whose rule is another one now."""
        with self._engine.begin() as connection:
            _end(connection, [approval], RULE_CHANGED, now)

    def log(self, approval: str) -> list[dict[str, Any]]:
        """Who did what to the approval, in order."""
        table = schema.approval_log
        query = select(table).where(table.c.approval == approval).order_by(table.c.seq)
        with self._engine.connect().execution_options(reads=True) as connection:
            return [dict(row._mapping) for row in connection.execute(query)]


def _first(connection: Connection, *conditions: Any) -> Approval | None:
    query = select(_table).where(*conditions).order_by(_table.c.opened_at.desc()).limit(1)
    row = connection.execute(query).first()
    return None if row is None else Approval.of(row)


def _insert(connection: Connection, hold: Hold, now: int) -> Approval:
    """A new row; or, where another process was faster, that one's."""
    row = {name: storable(getattr(hold, name)) for name in hold.__dataclass_fields__ if name != "ttl"}
    row |= {name: json.dumps(getattr(hold, name)) for name in ("risk_factors", "approvers")}
    row |= {
        "id": str(uuid.uuid4()),
        "state": PENDING,
        "hold": hold.identity,
        "nonce": secrets.token_hex(16),
        "opened_at": now,
        "expires_at": now + hold.ttl * _SECOND,
    }
    is_open = _table.c.state == PENDING
    statement = insert_into(connection, _table).values(row)
    added = connection.execute(
        statement.on_conflict_do_nothing(index_elements=["hold"], index_where=is_open).returning(_table.c.id)
    ).first()
    found = _first(connection, _table.c.hold == hold.identity, is_open)
    assert found is not None
    if added is not None:
        _log(connection, [found.id], "opened", now, hold.agent, None, None)
    return found


def _pending_of_run(connection: Connection, run: str) -> int:
    query = select(func.count()).where(_table.c.run == run, _table.c.state == PENDING)
    return int(connection.execute(query).scalar_one())


def _expire(connection: Connection, now: int) -> None:
    """Ends what nobody answered, and what was approved and not used, in time."""
    overdue = and_(_table.c.state.in_((PENDING, APPROVED)), _table.c.expires_at <= now)
    rows = connection.execute(select(_table).where(overdue)).all()
    if rows:
        _end(connection, [Approval.of(row) for row in rows], TIMED_OUT, now)


def _end(connection: Connection, approvals: Sequence[Approval], cause: str, now: int) -> None:
    ids = [approval.id for approval in approvals]
    open_states = or_(_table.c.state == PENDING, _table.c.state == APPROVED)
    connection.execute(
        update(_table).where(_table.c.id.in_(ids), open_states).values(state=EXPIRED, cause=cause, args=None)
    )
    _log(connection, ids, cause, now, None, None, None)


def _log(
    connection: Connection,
    approvals: Sequence[str],
    action: str,
    now: int,
    by: str | None,
    origin: str | None,
    why: str | None,
) -> None:
    entry = {"at": now, "action": action, "by": storable(by), "from": origin, "why": storable(why)}
    connection.execute(
        insert(schema.approval_log), [{**entry, "approval": approval} for approval in approvals]
    )
