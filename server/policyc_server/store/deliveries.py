"""Webhook deliveries in the store: noted together with their hold, claimed by one process at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, insert, select, update

from policyc_server.store import schema

_table = schema.deliveries


@dataclass(frozen=True)
class Delivery:
    """A body for a URL. ``seq`` and ``attempts`` (this one counted) are the store's."""

    approval: str
    event: str
    url: str
    body: str
    seq: int = 0
    attempts: int = 0


def add_deliveries(connection: Connection, deliveries: Sequence[Delivery], now: int) -> None:
    """Notes ``deliveries`` as due, in the transaction of ``connection``."""
    if deliveries:
        names = ("approval", "event", "url", "body", "attempts")
        rows = [{name: getattr(each, name) for name in names} | {"due_at": now} for each in deliveries]
        connection.execute(insert(_table), rows)


class DeliveryStore:
    """Times are microseconds since the epoch. Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def claim(self, now: int, *, urls: Sequence[str], lease: int) -> Delivery | None:
        """A delivery that is due, for this process alone until ``lease`` microseconds are over."""
        due = select(_table).where(_table.c.due_at <= now, _table.c.url.in_(urls)).order_by(_table.c.due_at)
        with self._engine.connect().execution_options(reads=True) as connection:
            rows = connection.execute(due.limit(10)).all()
        for row in rows:
            mine = (
                update(_table)
                .where(_table.c.seq == row.seq, _table.c.due_at == row.due_at)
                .values(due_at=now + lease, attempts=row.attempts + 1)
            )
            with self._engine.begin() as connection:
                if connection.execute(mine).rowcount:
                    return Delivery(row.approval, row.event, row.url, row.body, row.seq, row.attempts + 1)
        return None

    def delivered(self, delivery: Delivery, now: int) -> None:
        self._set(delivery, due_at=None, delivered_at=now, error=None)

    def failed(self, delivery: Delivery, error: str, again_at: int | None) -> None:
        """Notes why, and when to try again; None gives up."""
        self._set(delivery, due_at=again_at, error=error)

    def _set(self, delivery: Delivery, **values: object) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(_table).where(_table.c.seq == delivery.seq).values(**values))
