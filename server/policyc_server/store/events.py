"""Events in the store: batches in, pages and counts out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    and_,
    delete,
    func,
    or_,
    select,
    text,
    update,
)

from policyc_server.events.event import Completion, Event
from policyc_server.store import schema
from policyc_server.store.writing import insert_into, storable

#: Names the lock that makes `seq` the order of commits on PostgreSQL: a reader that saw a number has seen all
#: below it. SQLite has one writer at a time anyway.
_ORDER = 0x706F6C65
_MINUTE = 60_000_000
_DELETED_AT_ONCE = 2_000
#: How long after a decision its tool may report that it ran, in microseconds.
_LATEST_COMPLETION = 24 * 3600 * 1_000_000

_COLUMNS = tuple(column for column in schema.events.columns)


@dataclass(frozen=True)
class Filter:
    """Which events: every condition that is given holds. Times are microseconds, ``tool`` is a glob."""

    verdicts: tuple[str, ...] = ()
    surface: str | None = None
    tool: str | None = None
    agent: str | None = None
    run: str | None = None
    rule: str | None = None
    policy: str | None = None
    revision: str | None = None
    since: int | None = None
    until: int | None = None
    text: str | None = None


class EventStore:
    """Every method is one transaction. Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, events: Sequence[Event], completions: Sequence[Completion] = ()) -> None:
        """Commits all or nothing. An event that is there already is not counted again."""
        with self._writing() as connection:
            added = _insert(connection, events)
            _count_runs(connection, added)
            _count_rules(connection, added)
            _count_minutes(connection, added)
            for completion in completions:
                _complete(connection, completion)

    def page(self, found: Filter, *, limit: int, before: int | None = None) -> list[dict[str, Any]]:
        """Newest first, at most ``limit``, with ``seq`` below ``before``."""
        query = _matching(found).order_by(schema.events.c.seq.desc()).limit(limit)
        if before is not None:
            query = query.where(schema.events.c.seq < before)
        return self._documents(query)

    def after(self, seq: int, found: Filter, *, limit: int) -> list[dict[str, Any]]:
        """Oldest first, at most ``limit``, with a ``seq`` above the given one."""
        query = _matching(found).where(schema.events.c.seq > seq).order_by(schema.events.c.seq).limit(limit)
        return self._documents(query)

    def last_seq(self) -> int:
        with self._reading() as connection:
            return connection.execute(select(func.max(schema.events.c.seq))).scalar() or 0

    def runs(self, *, limit: int, before: int | None = None) -> list[dict[str, Any]]:
        """Runs, the last active first; ``before`` is a ``last_at``."""
        query = select(schema.runs).order_by(schema.runs.c.last_at.desc(), schema.runs.c.run).limit(limit)
        if before is not None:
            query = query.where(schema.runs.c.last_at < before)
        with self._reading() as connection:
            return [dict(row._mapping) for row in connection.execute(query)]

    def run(self, run: str) -> dict[str, Any] | None:
        with self._reading() as connection:
            row = connection.execute(select(schema.runs).where(schema.runs.c.run == run)).first()
        return None if row is None else dict(row._mapping)

    def hits(self, *, shadow_only: bool = False) -> list[dict[str, Any]]:
        """How often each rule decided, by verdict, would-be, agent and tool; the most frequent first."""
        table = schema.rule_hits
        query = select(table).order_by(table.c.count.desc())
        if shadow_only:
            query = query.where(table.c.would_be != "")
        with self._reading() as connection:
            return [dict(row._mapping) for row in connection.execute(query)]

    def hits_by_rule(self) -> dict[tuple[str, str], tuple[int, int]]:
        """How often each rule decided, by policy and rule, and when it did last; rule "" is the default."""
        table = schema.rule_hits
        query = select(table.c.policy, table.c.rule, func.sum(table.c.count), func.max(table.c.last_at))
        with self._reading() as connection:
            rows = connection.execute(query.group_by(table.c.policy, table.c.rule))
            return {(policy, rule): (int(count), last_at) for policy, rule, count, last_at in rows}

    def get(self, event: str) -> dict[str, Any] | None:
        found = self._documents(select(*_COLUMNS).where(schema.events.c.id == event))
        return found[0] if found else None

    def minutes(self, since: int) -> list[dict[str, Any]]:
        """Decisions per minute and verdict since a time in microseconds, oldest first."""
        table = schema.minutes
        query = select(table).where(table.c.minute >= since - since % _MINUTE).order_by(table.c.minute)
        with self._reading() as connection:
            return [dict(row._mapping) for row in connection.execute(query)]

    def prune(self, *, older_than: int | None, keep: int | None) -> int:
        """Deletes events before a time, and all but the newest ``keep``; returns how many.

        In small transactions, so that events are written meanwhile, also by other processes that prune."""
        seq = schema.events.c.seq
        pruned = 0
        if keep is not None:
            newest = select(seq).order_by(seq.desc()).offset(keep).limit(1)
            with self._reading() as connection:
                beyond = connection.execute(newest).scalar()
            pruned += 0 if beyond is None else self._delete_events(seq <= beyond)
        if older_than is not None:
            pruned += self._delete_events(schema.events.c.at < older_than)
            with self._writing() as connection:
                connection.execute(delete(schema.runs).where(schema.runs.c.last_at < older_than))
                connection.execute(delete(schema.minutes).where(schema.minutes.c.minute < older_than))
        return pruned

    def _delete_events(self, condition: ColumnElement[bool]) -> int:
        seq = schema.events.c.seq
        some = select(seq).where(condition).limit(_DELETED_AT_ONCE)
        deleted = 0
        while True:
            with self._writing() as connection:
                count = connection.execute(delete(schema.events).where(seq.in_(some))).rowcount
            deleted += count
            if count < _DELETED_AT_ONCE:
                return deleted

    def _documents(self, query: Select[Any]) -> list[dict[str, Any]]:
        with self._reading() as connection:
            return [_document(row) for row in connection.execute(query)]

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ORDER})
            yield connection

    def _reading(self) -> Connection:
        return self._engine.connect().execution_options(reads=True)


def _insert(connection: Connection, events: Sequence[Event]) -> list[Event]:
    """The events that were not there yet."""
    if not events:
        return []
    table = schema.events
    statement = (
        insert_into(connection, table).on_conflict_do_nothing(index_elements=["id"]).returning(table.c.id)
    )
    added = set(connection.execute(statement, [_row(event) for event in events]).scalars())
    return [event for event in events if event.id in added]


def _row(event: Event) -> dict[str, Any]:
    row = {name: getattr(event, name) for name in event.__struct_fields__}
    row["risk_factors"] = json.dumps(event.risk_factors)
    return {name: storable(value) for name, value in row.items()}


def _add_counts(
    connection: Connection, table: Any, rows: list[dict[str, Any]], counts: Iterable[str]
) -> None:
    """Upserts ``rows``, adding the columns ``counts`` to what is there and keeping the latest ``last_at``."""
    if not rows:
        return
    statement = insert_into(connection, table)
    new = statement.excluded
    changes = {name: table.c[name] + new[name] for name in counts}
    if "last_at" in table.c:
        latest = func.greatest if connection.dialect.name == "postgresql" else func.max
        changes["last_at"] = latest(table.c.last_at, new.last_at)
    connection.execute(
        statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=changes),
        # In one order, so that two processes never wait for each other's rows.
        sorted(rows, key=lambda row: [str(row[column.name]) for column in table.primary_key]),
    )


_RUN_COUNTS = ("allow", "audit", "sanitize", "deny", "pending_approval")


def _count_runs(connection: Connection, events: Iterable[Event]) -> None:
    rows: dict[str, dict[str, Any]] = {}
    for event in events:
        run = event.run or event.environment_id
        if run is None:
            continue
        name = str(storable(run))
        row = rows.setdefault(
            name,
            {"run": name, "agent": storable(event.agent), "first_at": event.at, "last_at": event.at}
            | dict.fromkeys(_RUN_COUNTS, 0),
        )
        row["first_at"], row["last_at"] = min(row["first_at"], event.at), max(row["last_at"], event.at)
        row[event.verdict] += 1
    _add_counts(connection, schema.runs, list(rows.values()), _RUN_COUNTS)


def _count_rules(connection: Connection, events: Iterable[Event]) -> None:
    counts: Counter[tuple[str, ...]] = Counter()
    latest: dict[tuple[str, ...], int] = {}
    for event in events:
        key = tuple(
            str(storable(text or ""))
            for text in (event.policy, event.rule, event.verdict, event.would_be, event.agent, event.tool)
        )
        counts[key] += 1
        latest[key] = max(latest.get(key, 0), event.at)
    names = ("policy", "rule", "verdict", "would_be", "agent", "tool")
    rows = [
        dict(zip(names, key, strict=True), count=count, last_at=latest[key]) for key, count in counts.items()
    ]
    _add_counts(connection, schema.rule_hits, rows, ("count",))


def _count_minutes(connection: Connection, events: Iterable[Event]) -> None:
    counts = Counter((event.at - event.at % _MINUTE, event.verdict) for event in events)
    rows = [
        {"minute": minute, "verdict": verdict, "count": count} for (minute, verdict), count in counts.items()
    ]
    _add_counts(connection, schema.minutes, rows, ("count",))


def _complete(connection: Connection, completion: Completion) -> None:
    table = schema.events
    if completion.call_id is not None:
        same = [table.c.call_id == completion.call_id]
    else:
        same = [
            table.c.fingerprint == completion.fingerprint,
            table.c.session.is_not_distinct_from(completion.session),
            table.c.environment_id.is_not_distinct_from(completion.environment_id),
        ]
    latest = (
        select(func.max(table.c.seq))
        .where(*same, table.c.tool == completion.tool, table.c.outcome.is_(None))
        .where(table.c.at >= completion.at - _LATEST_COMPLETION)
        .scalar_subquery()
    )
    connection.execute(
        update(table)
        .where(table.c.seq == latest)
        .values(outcome=completion.outcome, error=storable(completion.error))
    )


def _matching(found: Filter) -> Select[Any]:
    table = schema.events
    exact = {name: getattr(found, name) for name in ("surface", "agent", "rule", "policy", "revision")}
    conditions = [table.c[name] == value for name, value in exact.items() if value is not None]
    if found.verdicts:
        conditions.append(or_(table.c.verdict.in_(found.verdicts), table.c.would_be.in_(found.verdicts)))
    if found.run is not None:
        conditions.append(
            or_(table.c.run == found.run, and_(table.c.run.is_(None), table.c.environment_id == found.run))
        )
    if found.tool is not None:
        conditions.append(table.c.tool.like(_like(found.tool, wild="*"), escape="\\"))
    if found.since is not None:
        conditions.append(table.c.at >= found.since)
    if found.until is not None:
        conditions.append(table.c.at < found.until)
    if found.text is not None:
        part = f"%{_like(found.text)}%"
        searched = (table.c.tool, table.c.agent, table.c.rule, table.c.reason, table.c.args, table.c.id)
        conditions.append(or_(*(column.like(part, escape="\\") for column in searched)))
    return select(*_COLUMNS).where(*conditions)


def _like(literal: str, wild: str = "") -> str:
    """A LIKE pattern for ``literal``, in which ``wild`` stands for any run of characters."""
    escaped = "".join(f"\\{char}" if char in "\\%_" else char for char in literal)
    return escaped.replace(wild, "%") if wild else escaped


def _document(row: Row[Any]) -> dict[str, Any]:
    document = dict(row._mapping)
    document["risk_factors"] = json.loads(document["risk_factors"])
    return document
