"""Events in the store: batches in, pages and counts out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    text,
    update,
)

from policyc_server.events.event import Completion, Event
from policyc_server.store import schema
from policyc_server.store.writing import fitting, insert_all, storable

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
            for by_call, reported in groupby(completions, lambda each: each.call_id is not None):
                _complete(connection, by_call, [*reported])

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
            row = connection.execute(select(schema.runs).where(schema.runs.c.run == storable(run))).first()
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
        found = self._documents(select(*_COLUMNS).where(schema.events.c.id == storable(event)))
        return found[0] if found else None

    def minutes(self, since: int) -> list[dict[str, Any]]:
        """Decisions per minute and verdict since a time in microseconds, oldest first."""
        table = schema.minutes
        query = select(table).where(table.c.minute >= since - since % _MINUTE).order_by(table.c.minute)
        with self._reading() as connection:
            return [dict(row._mapping) for row in connection.execute(query)]

    def prune(self, *, older_than: int | None, keep: int | None) -> int:
        """Deletes events before a time, and all but the newest ``keep``; returns how many.

        Counts of runs, rules and minutes go with the events of their time: those that ended before
        ``older_than``, or before every event that is left. In small transactions, so that events are written
        meanwhile, also by other processes that prune."""
        pruned = 0
        if keep is not None:
            pruned += self._prune_to(keep)
        if older_than is not None:
            pruned += self._delete_events(schema.events.c.at < older_than)
            self._delete_counts(older_than)
        return pruned

    def _prune_to(self, keep: int) -> int:
        events = schema.events.c
        newest = select(events.seq).order_by(events.seq.desc()).offset(keep).limit(1)
        with self._reading() as connection:
            beyond = connection.execute(newest).scalar()
        if beyond is None:
            return 0
        pruned = self._delete_events(events.seq <= beyond)
        with self._reading() as connection:
            oldest = connection.execute(select(func.min(events.at))).scalar()
        if oldest is not None:
            self._delete_counts(oldest)
        return pruned

    def _delete_counts(self, before: int) -> None:
        with self._writing() as connection:
            connection.execute(delete(schema.runs).where(schema.runs.c.last_at < before))
            connection.execute(delete(schema.rule_hits).where(schema.rule_hits.c.last_at < before))
            connection.execute(delete(schema.minutes).where(schema.minutes.c.minute <= before - _MINUTE))

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

    def complete(statement: Any) -> Any:
        return statement.on_conflict_do_nothing(index_elements=["id"]).returning(table.c.id)

    rows = [_row(event) for event in events]
    added = set(insert_all(connection, table, rows, complete).scalars())
    return [event for event in events if event.id in added]


def _row(event: Event) -> dict[str, Any]:
    row = {name: getattr(event, name) for name in event.__struct_fields__}
    row["risk_factors"] = json.dumps(event.risk_factors)
    return {name: fitting(schema.events.c[name], value) for name, value in row.items()}


def _add_counts(
    connection: Connection, table: Any, rows: list[dict[str, Any]], counts: Iterable[str]
) -> None:
    """Upserts ``rows``, adding the columns ``counts`` to what is there and keeping the latest ``last_at``."""
    if not rows:
        return

    def complete(statement: Any) -> Any:
        new = statement.excluded
        changes = {name: table.c[name] + new[name] for name in counts}
        if "last_at" in table.c:
            latest = func.greatest if connection.dialect.name == "postgresql" else func.max
            changes["last_at"] = latest(table.c.last_at, new.last_at)
        return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=changes)

    # In one order, so that two processes never wait for each other's rows.
    ordered = sorted(rows, key=lambda row: [str(row[column.name]) for column in table.primary_key])
    insert_all(connection, table, ordered, complete)


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
    names = ("policy", "rule", "verdict", "would_be", "agent", "tool")
    counts: Counter[tuple[str, ...]] = Counter()
    latest: dict[tuple[str, ...], int] = {}
    for event in events:
        # Cut before they are counted: two that are cut to one are one row.
        key = tuple(str(fitting(schema.rule_hits.c[name], getattr(event, name) or "")) for name in names)
        counts[key] += 1
        latest[key] = max(latest.get(key, 0), event.at)
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


#: What an event has in common with the completion of its call.
_BY_CALL = (schema.events.c.call_id == bindparam("by_call_id"),)
_BY_WHAT = (
    schema.events.c.fingerprint == bindparam("by_fingerprint"),
    schema.events.c.session.is_not_distinct_from(bindparam("by_session")),
    schema.events.c.environment_id.is_not_distinct_from(bindparam("by_environment_id")),
)


def _complete(connection: Connection, by_call: bool, completions: Iterable[Completion]) -> None:
    """Attaches each outcome to the latest decision that it may be of and that has none yet, in order."""
    table = schema.events
    latest = (
        select(func.max(table.c.seq))
        .where(*(_BY_CALL if by_call else _BY_WHAT), table.c.outcome.is_(None))
        .where(table.c.key.is_not_distinct_from(bindparam("by_key")))
        .where(table.c.tool == bindparam("by_tool"), table.c.at >= bindparam("by_since"))
        .scalar_subquery()
    )
    statement = update(table).where(table.c.seq == latest)
    connection.execute(
        statement.values(outcome=bindparam("said"), error=bindparam("why")),
        [
            {
                "by_call_id": each.call_id,
                "by_fingerprint": each.fingerprint,
                "by_session": each.session,
                "by_environment_id": each.environment_id,
                "by_key": each.key,
                "by_tool": each.tool,
                "by_since": each.at - _LATEST_COMPLETION,
                "said": each.outcome,
                "why": storable(each.error),
            }
            for each in completions
        ],
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
