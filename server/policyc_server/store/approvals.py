"""Holds in the store. Every change is a transaction, and of two that race one wins."""

from __future__ import annotations

import hashlib
import json
import secrets
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Select, and_, delete, func, insert, or_, select, text, update

from policyc_server.approvals.approval import (
    APPROVED,
    CONSUMED,
    DENIED,
    EXPIRED,
    PENDING,
    RULE_CHANGED,
    SET_BACK,
    TIMED_OUT,
    Approval,
    Hold,
)
from policyc_server.store import schema
from policyc_server.store.deliveries import Delivery, add_deliveries
from policyc_server.store.workers import served_by_others
from policyc_server.store.writing import fitting, storable

_SECOND = 1_000_000
_DELETED_AT_ONCE = 500
#: For how long the same attempt passes again: a hook that an agent runs twice comes at once. What names an
#: attempt may name a whole turn of the model, in which it can make the call as often as it likes.
_AGAIN = 60 * _SECOND
#: An agent names its runs: those of one may fill the queue of reviewers as far as so many runs.
_MOST_RUNS = 10
_table = schema.approvals


def _nothing(_approval: Approval) -> list[Delivery]:
    return []


class TooManyHolds(RuntimeError):
    """The run, or the agent in all of its runs, has as many pending holds as it may have."""


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

    def open(
        self,
        hold: Hold,
        now: int,
        *,
        cap: int,
        attempt: str | None = None,
        announce: Callable[[Approval], list[Delivery]] = _nothing,
        process: str | None = None,
    ) -> Approval:
        """What stands for this call: the approval that let the same ``attempt`` through, its pending hold, an
        approval that was not used or a denial that has not run out; else a new hold, kept together with what
        ``announce`` says about it. Raises TooManyHolds.

        A hold is of one wording of its rule: under another, the person would answer another question. It is
        over when a new one is opened and no other ``process`` serves the revision that it was opened under.
        """
        with self._engine.begin() as connection:
            _lock(connection, hold.identity)
            _expire(connection, now)
            found = _used(connection, hold, attempt, now) or _standing(connection, hold, now)
            if found is not None:
                return found
            _end(connection, _left_behind(connection, hold, process), RULE_CHANGED, now)
            _check_room(connection, hold, cap)
            return _insert(connection, hold, now, announce)

    def get(self, approval: str, now: int) -> Approval | None:
        """Writes only where the time of the approval has run out, so that polling costs a read."""
        same = _table.c.id == storable(approval)
        with self._reading() as connection:
            found = _first(connection, same)
        if found is None or not found.is_overdue(now):
            return found
        self.expire(now)
        with self._reading() as connection:
            return _first(connection, same)

    def newest(
        self, now: int, *, states: Sequence[str] = (), limit: int = 100, before: int | None = None
    ) -> list[Approval]:
        """The newest first; ``before`` is an ``opened_at``."""
        query = select(_table).order_by(_table.c.opened_at.desc(), _table.c.id).limit(limit)
        if states:
            query = query.where(_table.c.state.in_(states))
        if before is not None:
            query = query.where(_table.c.opened_at < before)
        found = self._all(query)
        if any(approval.is_overdue(now) for approval in found):
            self.expire(now)
            found = self._all(query)
        return found

    def expire(self, now: int) -> None:
        """Ends what ran out of time."""
        with self._engine.begin() as connection:
            _expire(connection, now)

    def prune(self, older_than: int) -> int:
        """Deletes what was over before a time, with its log and deliveries; how many approvals that were.

        What waits, what may still be used and a denial that stands are never over. In small transactions."""
        pruned = 0
        while True:
            with self._engine.begin() as connection:
                count = _delete_some(connection, older_than)
            pruned += count
            if count < _DELETED_AT_ONCE:
                return pruned

    def counts(self) -> dict[str, int]:
        """How many approvals are in each state; a state that none is in is not named."""
        query = select(_table.c.state, func.count().label("number")).group_by(_table.c.state)
        with self._reading() as connection:
            return {row.state: row.number for row in connection.execute(query)}

    def count_pending(self, now: int) -> int:
        with self._reading() as connection:
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
                    decided_by=_fitting("decided_by", decision.by),
                    decided_from=_fitting("decided_from", decision.origin),
                    comment=storable(decision.comment),
                    expires_at=now + ttl * _SECOND,
                )
            ).rowcount
            if changed:
                action = APPROVED if decision.approve else DENIED
                _log(connection, [approval], action, now, decision.by, decision.origin, decision.comment)
            return _first(connection, _table.c.id == approval), bool(changed)

    def consume(self, approval: str, now: int, *, attempt: str | None) -> bool:
        """Whether the approval lets the call pass now: once, or for a minute again the same ``attempt``."""
        with self._engine.begin() as connection:
            changed = connection.execute(
                update(_table)
                .where(_table.c.id == approval, _table.c.state == APPROVED, _table.c.expires_at > now)
                .where(_table.c.decided_at <= now + SET_BACK)
                .values(state=CONSUMED, consumed_at=now, consumed_by=attempt, expires_at=now + _AGAIN)
            ).rowcount
            if changed:
                _log(connection, [approval], CONSUMED, now, attempt, None, None)
                return True
            if attempt is None:
                return False
            same = (_table.c.id == approval, _table.c.state == CONSUMED, _table.c.consumed_by == attempt)
            return _first(connection, *same, _table.c.expires_at > now) is not None

    def log(self, approval: str) -> list[dict[str, Any]]:
        """Who did what to the approval, in order."""
        table = schema.approval_log
        query = select(table).where(table.c.approval == approval).order_by(table.c.seq)
        with self._reading() as connection:
            return [dict(row._mapping) for row in connection.execute(query)]

    def _all(self, query: Select[Any]) -> list[Approval]:
        with self._reading() as connection:
            return [Approval.of(row) for row in connection.execute(query)]

    def _reading(self) -> Connection:
        return self._engine.connect().execution_options(reads=True)


def _first(connection: Connection, *conditions: Any) -> Approval | None:
    query = select(_table).where(*conditions).order_by(_table.c.opened_at.desc()).limit(1)
    row = connection.execute(query).first()
    return None if row is None else Approval.of(row)


def _lock(connection: Connection, name: str) -> None:
    """Until the transaction ends, others that lock the same name wait. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        number = int(hashlib.sha256(name.encode()).hexdigest()[:15], 16)
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": number})


def _used(connection: Connection, hold: Hold, attempt: str | None, now: int) -> Approval | None:
    if attempt is None:
        return None
    same = (_table.c.hold == hold.identity, _table.c.rule_digest == hold.rule_digest)
    used = (_table.c.state == CONSUMED, _table.c.consumed_by == attempt, _table.c.expires_at > now)
    return _first(connection, *same, *used)


def _left_behind(connection: Connection, hold: Hold, process: str | None) -> list[Approval]:
    """Open holds of the same call, under wordings that only ``process``, which asks, can have served."""
    same = (_table.c.hold == hold.identity, _table.c.rule_digest != hold.rule_digest)
    rows = connection.execute(select(_table).where(*same, _table.c.state.in_((PENDING, APPROVED)))).all()
    served = served_by_others(connection, process) if rows else set()
    return [Approval.of(row) for row in rows if row.revision not in served]


def _standing(connection: Connection, hold: Hold, now: int) -> Approval | None:
    stands = or_(
        _table.c.state.in_((PENDING, APPROVED)), and_(_table.c.state == DENIED, _table.c.expires_at > now)
    )
    same = (_table.c.hold == hold.identity, _table.c.rule_digest == hold.rule_digest)
    return _first(connection, *same, stands)


def _insert(
    connection: Connection, hold: Hold, now: int, announce: Callable[[Approval], list[Delivery]]
) -> Approval:
    row = {name: _fitting(name, getattr(hold, name)) for name in hold.__dataclass_fields__ if name != "ttl"}
    row |= {name: json.dumps(getattr(hold, name)) for name in ("risk_factors", "approvers")}
    row |= {
        "id": str(uuid.uuid4()),
        "state": PENDING,
        "hold": hold.identity,
        "nonce": secrets.token_hex(16),
        "opened_at": now,
        "expires_at": now + hold.ttl * _SECOND,
    }
    connection.execute(insert(_table).values(row))
    found = _first(connection, _table.c.id == row["id"])
    assert found is not None
    _log(connection, [found.id], "opened", now, hold.agent, None, None)
    add_deliveries(connection, announce(found), now)
    return found


def _fitting(column: str, value: object) -> Any:
    # Identities are made of whole values, so none is lost.
    return fitting(_table.c[column], value)


def _check_room(connection: Connection, hold: Hold, cap: int) -> None:
    """Raises TooManyHolds. Counted are the calls of the same key and agent: nobody fills another's run."""
    # Two that count at once would both find room.
    _lock(connection, str((hold.key, hold.agent)))
    if _pending(connection, hold, "key", "agent", "run") >= cap:
        raise TooManyHolds(f"{cap} calls of this run wait for a person already")
    if _pending(connection, hold, "key", "agent") >= cap * _MOST_RUNS:
        raise TooManyHolds(f"{cap * _MOST_RUNS} calls of this agent wait for a person already")


def _pending(connection: Connection, hold: Hold, *names: str) -> int:
    """How many calls wait that have what ``names`` names in common with ``hold``."""
    same = (_table.c[name].is_not_distinct_from(_fitting(name, getattr(hold, name))) for name in names)
    query = select(func.count()).where(*same, _table.c.state == PENDING)
    return int(connection.execute(query).scalar_one())


def _expire(connection: Connection, now: int) -> None:
    """Ends what nobody answered, and what was approved and not used, in time."""
    last = func.coalesce(_table.c.decided_at, _table.c.opened_at)
    is_over = or_(_table.c.expires_at <= now, last > now + SET_BACK)
    overdue = and_(_table.c.state.in_((PENDING, APPROVED)), is_over)
    rows = connection.execute(select(_table).where(overdue)).all()
    if rows:
        _end(connection, [Approval.of(row) for row in rows], TIMED_OUT, now)


def _end(connection: Connection, approvals: Sequence[Approval], cause: str, now: int) -> None:
    ids = [approval.id for approval in approvals]
    open_states = or_(_table.c.state == PENDING, _table.c.state == APPROVED)
    statement = update(_table).where(_table.c.id.in_(ids), open_states)
    ended = connection.execute(
        statement.values(state=EXPIRED, cause=cause, args=None).returning(_table.c.id)
    ).scalars()
    _log(connection, list(ended), cause, now, None, None, None)


def _delete_some(connection: Connection, older_than: int) -> int:
    # Two that delete the same rows in another order would wait for each other.
    _lock(connection, "retention")
    is_over = (_table.c.state.not_in((PENDING, APPROVED)), _table.c.expires_at < older_than)
    ids = connection.execute(select(_table.c.id).where(*is_over).limit(_DELETED_AT_ONCE)).scalars().all()
    for table in (schema.approval_log, schema.deliveries):
        connection.execute(delete(table).where(table.c.approval.in_(ids)))
    connection.execute(delete(_table).where(_table.c.id.in_(ids)))
    return len(ids)


def _log(
    connection: Connection,
    approvals: Sequence[str],
    action: str,
    now: int,
    by: str | None,
    origin: str | None,
    why: str | None,
) -> None:
    if not approvals:
        return
    entry = {"at": now, "action": action, "by": storable(by), "from": origin, "why": storable(why)}
    connection.execute(
        insert(schema.approval_log), [{**entry, "approval": approval} for approval in approvals]
    )
