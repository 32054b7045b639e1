"""The one clock of a database's clients."""

from __future__ import annotations

import time

from sqlalchemy import Connection, text


def now_on(connection: Connection) -> int:
    """Microseconds since the epoch: by the server where there is one, since replicas' clocks differ."""
    if connection.dialect.name != "postgresql":
        return time.time_ns() // 1000
    query = text("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)")
    return int(connection.execute(query).scalar_one())
