"""API keys and console sessions in the store, by the hash of their secret."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import Engine, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from policyc_server.store import schema

ROLES = ("agent", "reviewer", "admin")
_PREFIX = "pc_"


class KeyExists(ValueError):
    """The id is taken."""


@dataclass(frozen=True)
class Key:
    """Who a secret stands for. Times are microseconds since the epoch."""

    id: str
    role: str
    agent: str | None
    policy: str | None
    created_at: int
    revoked_at: int | None


def new_secret() -> str:
    """A secret of 256 random bits, so that a plain hash of it cannot be turned back."""
    return _PREFIX + secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


class KeyStore:
    """Raises SQLAlchemyError where the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(self, key: Key, secret: str) -> None:
        """Raises KeyExists."""
        row = {name: getattr(key, name) for name in key.__dataclass_fields__}
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(schema.keys).values(**row, hash=hashed(secret)))
        except IntegrityError:
            raise KeyExists(f"there is a key {key.id!r} already") from None

    def revoke(self, key: str, now: int) -> bool:
        """Whether there was such a key to revoke; its sessions end with it."""
        table = schema.keys
        with self._engine.begin() as connection:
            digest = select(table.c.hash).where(table.c.id == key)
            connection.execute(delete(schema.sessions).where(schema.sessions.c.key.in_(digest)))
            statement = update(table).where(table.c.id == key, table.c.revoked_at.is_(None))
            return bool(connection.execute(statement.values(revoked_at=now)).rowcount)

    def by_hash(self) -> dict[str, Key]:
        """Every key, also revoked ones, by the hash of its secret; the oldest first."""
        with self._engine.connect().execution_options(reads=True) as connection:
            rows = connection.execute(select(schema.keys).order_by(schema.keys.c.created_at))
            return {row.hash: _key(row) for row in rows}


def _key(row: Row[tuple[object, ...]]) -> Key:
    columns = row._asdict()
    del columns["hash"]
    return Key(**columns)
