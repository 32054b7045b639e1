"""Secrets that all processes on one store share."""

from __future__ import annotations

import secrets

from sqlalchemy import Engine, select

from policyc_server.store import schema
from policyc_server.store.writing import insert_into


def shared_secret(engine: Engine, name: str) -> bytes:
    """The secret of that name, 256 random bits; whoever asks first makes it."""
    table = schema.secrets
    with engine.begin() as connection:
        statement = insert_into(connection, table).values(name=name, value=secrets.token_bytes(32))
        connection.execute(statement.on_conflict_do_nothing(index_elements=["name"]))
        value = connection.execute(select(table.c.value).where(table.c.name == name)).scalar_one()
        return bytes(value)
