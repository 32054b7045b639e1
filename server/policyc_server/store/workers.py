"""The processes that serve on one store, each in a row that it renews."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Engine, delete, or_, select

from policyc_server.store import schema
from policyc_server.store.clock import now_on
from policyc_server.store.writing import insert_into, storable

#: Microseconds after which a row that was not renewed is of a process that ended, or hangs.
STALE_AFTER = 10_000_000


class WorkerStore:
    """Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def beat(self, worker: str, document: dict[str, Any]) -> None:
        """Writes what `worker` is now, and drops the rows of those that ended."""
        table = schema.workers
        with self._engine.begin() as connection:
            now = now_on(connection)
            values = {"seen_at": now, "status": storable(json.dumps(document))}
            row = {"id": worker, "host": storable(document["host"]), "started_at": now, **values}
            statement = insert_into(connection, table).values(**row)
            connection.execute(statement.on_conflict_do_update(index_elements=["id"], set_=values))
            # Also what was seen in the future, by a clock that has been set back since.
            is_stale = or_(table.c.seen_at < now - STALE_AFTER, table.c.seen_at > now + STALE_AFTER)
            connection.execute(delete(table).where(is_stale))

    def alive(self) -> list[dict[str, Any]]:
        """What every process that is not stale wrote last, the oldest first."""
        with self._engine.connect().execution_options(reads=True) as connection:
            return _alive(connection)

    def remove(self, worker: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(schema.workers).where(schema.workers.c.id == worker))


def served_by_others(connection: Connection, process: str | None) -> set[str]:
    """The revisions that processes other than ``process`` serve, as they said last."""
    others = (each for each in _alive(connection) if each["id"] != process and each["policy"] is not None)
    return {str(each["policy"]["revision"]) for each in others}


def _alive(connection: Connection) -> list[dict[str, Any]]:
    table = schema.workers
    now = now_on(connection)
    rows = connection.execute(
        select(table.c.status, table.c.seen_at).order_by(table.c.started_at, table.c.id)
    ).all()
    return [json.loads(status) for status, seen_at in rows if abs(now - seen_at) <= STALE_AFTER]
