"""What both databases need said differently when rows are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, CursorResult, Integer, String, Text, column, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite

#: The place of a row among those that are inserted with it.
_POSITION = "position"


def insert_into(connection: Connection, table: Any) -> Any:
    """An INSERT that can say ON CONFLICT."""
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)


def insert_all(
    connection: Connection,
    table: Any,
    rows: Sequence[Mapping[str, Any]],
    complete: Callable[[Any], Any],
) -> CursorResult[Any]:
    """Inserts ``rows``, at least one and all of the same columns, in their order; ``complete`` gives the
    INSERT its ON CONFLICT and RETURNING."""
    statement = insert_into(connection, table)
    if connection.dialect.name != "postgresql":
        return connection.execute(complete(statement), rows)
    # One parameter instead of one for each value: both ends read thousands of them slowly.
    names = list(rows[0])
    numbered = [{**row, _POSITION: number} for number, row in enumerate(rows)]
    columns = [column(name, _text_or(table.c[name].type)) for name in names]
    records = func.json_to_recordset(literal(numbered, postgresql.JSON))
    given = records.table_valued(*columns, column(_POSITION, Integer)).render_derived(with_types=True)
    ordered = select(*(given.c[name] for name in names)).order_by(given.c[_POSITION])
    return connection.execute(complete(statement.from_select(names, ordered)))


def _text_or(kind: Any) -> Any:
    """A type that refuses what is too long for its column, where one with a length would cut it."""
    return Text() if isinstance(kind, String) else kind


def fitting(column: Column[Any], value: object) -> Any:
    """``value`` without NUL and cut to its column: PostgreSQL refuses what is longer."""
    length = getattr(column.type, "length", None)
    kept = storable(value)
    return kept[:length] if isinstance(kept, str) else kept


def storable(value: object) -> Any:
    """``value``, where a text is without NUL: PostgreSQL's holds none."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value
