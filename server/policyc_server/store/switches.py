"""Switches that outlive restarts and hold for every process on the store."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine, select

from policyc_server.store import schema
from policyc_server.store.writing import insert_into, storable

LOCKDOWN = "lockdown"


@dataclass(frozen=True)
class Switch:
    """A switch, and who turned it last. ``at`` is in microseconds since the epoch."""

    is_on: bool
    at: int
    by: str | None
    why: str | None


class SwitchStore:
    """Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, name: str) -> Switch | None:
        """None where nobody ever turned it."""
        table = schema.switches
        query = select(table.c.is_on, table.c.at, table.c.by, table.c.why).where(table.c.name == name)
        with self._engine.connect().execution_options(reads=True) as connection:
            row = connection.execute(query).first()
        return None if row is None else Switch(*row)

    def turn(self, name: str, switch: Switch) -> None:
        values = {
            "is_on": switch.is_on,
            "at": switch.at,
            "by": storable(switch.by),
            "why": storable(switch.why),
        }
        with self._engine.begin() as connection:
            statement = insert_into(connection, schema.switches).values(name=name, **values)
            connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=values))
