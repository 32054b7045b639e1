"""What both databases need said differently when rows are written."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite


def insert_into(connection: Connection, table: Any) -> Any:
    """An INSERT that can say ON CONFLICT."""
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)


def storable(value: object) -> Any:
    """``value``, where a text is without NUL: PostgreSQL's holds none."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value
