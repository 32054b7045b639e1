"""Sessions of the console, by the hash of their cookie."""

from __future__ import annotations

from sqlalchemy import Engine, delete, insert, select

from policyc_server.store import schema

_table = schema.sessions


class SessionStore:
    """Times are microseconds since the epoch. Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, digest: str, key: str, now: int, expires_at: int) -> None:
        """Keeps a session of the key with the hash ``key``."""
        with self._engine.begin() as connection:
            connection.execute(
                insert(_table).values(hash=digest, key=key, created_at=now, expires_at=expires_at)
            )

    def key(self, digest: str, now: int) -> str | None:
        """The hash of the key whose session it is; None where there is none, or it is over."""
        query = select(_table.c.key).where(_table.c.hash == digest, _table.c.expires_at > now)
        with self._engine.connect().execution_options(reads=True) as connection:
            return connection.execute(query).scalar()

    def prune(self, now: int) -> None:
        """Deletes those that are over."""
        with self._engine.begin() as connection:
            connection.execute(delete(_table).where(_table.c.expires_at <= now))

    def end(self, digest: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(_table).where(_table.c.hash == digest))
