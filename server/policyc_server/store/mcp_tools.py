"""Tools of MCP servers as they were first seen or last accepted, and what they changed into since."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Row, delete, select, update

from policyc_server.events.documents import moment
from policyc_server.store import schema
from policyc_server.store.writing import insert_into

_table = schema.mcp_tools
#: Of one server; a server that invents names must not fill the store.
MOST_TOOLS = 2_000


@dataclass(frozen=True)
class Definition:
    """What a server says a tool is: JSON text, and a digest of what models and clients go by."""

    fingerprint: str
    text: str

    def document(self) -> dict[str, Any]:
        return {"fingerprint": self.fingerprint, "definition": json.loads(self.text)}


@dataclass(frozen=True)
class Pin:
    """One tool. Times are microseconds since the epoch; ``accepted_by`` is None of one at first sight."""

    server: str
    tool: str
    accepted: Definition
    first_seen: int
    accepted_at: int
    accepted_by: str | None
    changed: Definition | None
    """What the server said last, where that is something else."""
    changed_at: int | None

    def differences(self) -> Iterator[tuple[str, Any, Any]]:
        """Each key of the definition that is another now, with what it was and what it is."""
        if self.changed is not None:
            was, now = json.loads(self.accepted.text), json.loads(self.changed.text)
            for key in sorted({*was, *now}):
                if was.get(key) != now.get(key):
                    yield key, was.get(key), now.get(key)

    def document(self) -> dict[str, Any]:
        """The pin as JSON data."""
        changed = None if self.changed is None else self.changed.document()
        times = {
            name: None if value is None else moment(value)
            for name, value in (
                ("first_seen", self.first_seen),
                ("accepted_at", self.accepted_at),
                ("changed_at", self.changed_at),
            )
        }
        return {
            "server": self.server,
            "tool": self.tool,
            "accepted": self.accepted.document(),
            "accepted_by": self.accepted_by,
            "changed": changed,
            **times,
        }


class McpToolStore:
    """Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def see(self, server: str, seen: Mapping[str, Definition], now: int) -> dict[str, Pin]:
        """What stands for each tool once ``seen`` was noted: what is new is accepted at first sight, what
        differs from what is accepted is changed, until it is accepted or again what it was.

        Tools of a server that has ``MOST_TOOLS`` already are not kept, and not in the answer."""
        same = (_table.c.server == server, _table.c.tool.in_(list(seen)))
        with self._engine.connect().execution_options(reads=True) as connection:
            rows = connection.execute(select(_table).where(*same)).all()
        if len(rows) < len(seen) or any(_difference(row, seen[row.tool], now) for row in rows):
            with self._engine.begin() as connection:
                self._add(connection, server, seen, now)
                for row in connection.execute(select(_table).where(*same)).all():
                    if difference := _difference(row, seen[row.tool], now):
                        this = (_table.c.server == server, _table.c.tool == row.tool)
                        connection.execute(update(_table).where(*this).values(**difference))
                rows = connection.execute(select(_table).where(*same)).all()
        return {row.tool: _pin(row) for row in rows}

    def _add(self, connection: Connection, server: str, seen: Mapping[str, Definition], now: int) -> None:
        of_server = _table.c.server == server
        known = set(connection.execute(select(_table.c.tool).where(of_server)).scalars())
        new = [tool for tool in seen if tool not in known]
        for tool in new[: max(0, MOST_TOOLS - len(known))]:
            values: dict[str, object] = {
                "server": server,
                "tool": tool,
                "fingerprint": seen[tool].fingerprint,
                "definition": seen[tool].text,
                "first_seen": now,
                "accepted_at": now,
            }
            statement = insert_into(connection, _table).values(**values)
            connection.execute(statement.on_conflict_do_nothing(index_elements=["server", "tool"]))

    def get(self, server: str, tool: str) -> Pin | None:
        with self._engine.connect().execution_options(reads=True) as connection:
            this = (_table.c.server == server, _table.c.tool == tool)
            row = connection.execute(select(_table).where(*this)).first()
        return None if row is None else _pin(row)

    def all(self) -> list[Pin]:
        """Every tool, by server and name."""
        with self._engine.connect().execution_options(reads=True) as connection:
            rows = connection.execute(select(_table).order_by(_table.c.server, _table.c.tool))
            return [_pin(row) for row in rows]

    def accept(self, server: str, tool: str, fingerprint: str, by: str, now: int) -> bool:
        """Whether the tool had changed into what has this ``fingerprint``, which then is what stands."""
        with self._engine.begin() as connection:
            this = (_table.c.server == server, _table.c.tool == tool)
            pending = (*this, _table.c.changed_fingerprint == fingerprint)
            statement = update(_table).where(*pending)
            done = connection.execute(
                statement.values(
                    fingerprint=_table.c.changed_fingerprint,
                    definition=_table.c.changed_definition,
                    accepted_at=now,
                    accepted_by=by,
                    **_UNCHANGED,
                )
            )
            return bool(done.rowcount)

    def forget(self, server: str) -> int:
        """How many tools of the server are forgotten: each is seen for the first time once more."""
        with self._engine.begin() as connection:
            return connection.execute(delete(_table).where(_table.c.server == server)).rowcount


_UNCHANGED = {"changed_fingerprint": None, "changed_definition": None, "changed_at": None}


def _difference(row: Row[Any], seen: Definition, now: int) -> dict[str, object] | None:
    """What to write where ``seen`` is not what stands in ``row``; nothing where it is."""
    if seen.fingerprint == row.fingerprint:
        return None if row.changed_fingerprint is None else dict(_UNCHANGED)
    if seen.fingerprint == row.changed_fingerprint:
        return None
    return {"changed_fingerprint": seen.fingerprint, "changed_definition": seen.text, "changed_at": now}


def _pin(row: Row[Any]) -> Pin:
    changed = row.changed_fingerprint
    return Pin(
        server=row.server,
        tool=row.tool,
        accepted=Definition(row.fingerprint, row.definition),
        first_seen=row.first_seen,
        accepted_at=row.accepted_at,
        accepted_by=row.accepted_by,
        changed=None if changed is None else Definition(changed, row.changed_definition),
        changed_at=row.changed_at,
    )
