"""How far each export of events has come; one process at a time does it."""

from __future__ import annotations

from sqlalchemy import Engine, or_, select, update

from policyc_server.store import schema
from policyc_server.store.clock import now_on
from policyc_server.store.writing import insert_into

#: Microseconds for which a cursor belongs to the process that took it; it takes it again with each batch.
HELD_FOR = 30_000_000


class CursorStore:
    """Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def take(self, name: str, holder: str) -> int | None:
        """The `seq` after which to go on; None while another process does it. A new cursor is at 0."""
        table = schema.cursors
        with self._engine.begin() as connection:
            now = now_on(connection)
            row = {"name": name, "seq": 0, "holder": None, "held_until": 0}
            statement = insert_into(connection, table).values(**row)
            connection.execute(statement.on_conflict_do_nothing(index_elements=["name"]))
            is_free = or_(
                table.c.holder.is_(None),
                table.c.holder == holder,
                table.c.held_until < now,
                # Taken by a clock that has been set back since.
                table.c.held_until > now + 2 * HELD_FOR,
            )
            taken = connection.execute(
                update(table)
                .where(table.c.name == name, is_free)
                .values(holder=holder, held_until=now + HELD_FOR)
                .returning(table.c.seq)
            )
            seq = taken.scalar()
        return None if seq is None else int(seq)

    def advance(self, name: str, holder: str, seq: int) -> bool:
        """Notes that everything up to `seq` was taken; False where another process has the cursor by now."""
        table = schema.cursors
        with self._engine.begin() as connection:
            held_until = now_on(connection) + HELD_FOR
            moved = connection.execute(
                update(table)
                .where(table.c.name == name, table.c.holder == holder)
                .values(seq=seq, held_until=held_until)
            )
            return moved.rowcount == 1

    def release(self, name: str, holder: str) -> None:
        """Lets another process go on at once."""
        table = schema.cursors
        with self._engine.begin() as connection:
            mine = (table.c.name == name, table.c.holder == holder)
            connection.execute(update(table).where(*mine).values(holder=None))

    def seq(self, name: str) -> int | None:
        """Where a cursor is; None before it was ever taken."""
        query = select(schema.cursors.c.seq).where(schema.cursors.c.name == name)
        with self._engine.connect().execution_options(reads=True) as connection:
            return connection.execute(query).scalar()
