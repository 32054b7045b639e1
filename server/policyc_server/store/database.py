"""A database by URL: connections that are set up right, brought to the current schema when it is opened."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import SQLAlchemyError

#: Another process's transaction is waited for this long, in milliseconds.
_BUSY = 5_000
#: Names the lock under which migrations run on PostgreSQL: several replicas may start at once.
_MIGRATING = 0x706F6C69


class StoreError(RuntimeError):
    """The store cannot be used. `code` is stable; the message never holds the password of the URL."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def sqlite_url(folder: Path) -> str:
    """The URL of the embedded database below `--state`."""
    return f"sqlite:///{folder / 'policyc.db'}"


def open_database(url: str) -> Engine:
    """An engine for `url` (`sqlite:///` or `postgresql://`) at the current schema. Raises StoreError."""
    try:
        engine = _engine(url)
    except SQLAlchemyError as error:
        raise _unavailable(url, error) from None
    try:
        with engine.begin() as connection:
            _migrate(connection)
    except SQLAlchemyError as error:
        engine.dispose()
        raise _unavailable(url, error) from None
    except StoreError:
        engine.dispose()
        raise
    return engine


def _unavailable(url: str, error: SQLAlchemyError) -> StoreError:
    return StoreError("store_unavailable", f"{_shown(url)} cannot be opened: {_cause(error)}")


def _engine(url: str) -> Engine:
    # Errors end up in logs; what was being written, such as a hold's arguments, must not.
    parsed = make_url(url)
    if parsed.get_backend_name() == "postgresql":
        engine = create_engine(
            parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True, pool_size=8, hide_parameters=True
        )
    elif parsed.get_backend_name() == "sqlite":
        engine = create_engine(parsed, connect_args={"timeout": _BUSY / 1000}, hide_parameters=True)
        _make_private(parsed.database)
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_at_once)
    else:
        raise StoreError("store_unsupported", f"{_shown(url)} is neither sqlite:// nor postgresql://")
    return engine


def _make_private(path: str | None) -> None:
    """Makes the file, where there is none, for its owner alone: it holds secrets, and the arguments of holds.
    SQLite gives its other files the same mode."""
    if path and path != ":memory:":
        # Where this fails SQLite says why.
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _set_up_sqlite(connection: Any, _record: object) -> None:
    # The driver's own BEGIN comes too late, and deferred: a read that turns into a write may then fail.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {_BUSY}")
    connection.execute("PRAGMA journal_mode = WAL")
    # With WAL, NORMAL may lose the last commits when the machine loses power.
    connection.execute("PRAGMA synchronous = FULL")
    # LIKE is case-sensitive on PostgreSQL, and tool names are.
    connection.execute("PRAGMA case_sensitive_like = ON")


def _begin_at_once(connection: Connection) -> None:
    reads = connection.get_execution_options().get("reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _migrate(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATING})
    config = Config()
    config.set_main_option("script_location", str(files("policyc_server.store") / "migrations"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and found not in known:
        raise StoreError(
            "store_newer", f"the store is at schema {found}, which this version does not know: upgrade"
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _shown(url: str) -> str:
    try:
        return make_url(url).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return "the store's URL"


def _cause(error: SQLAlchemyError) -> str:
    original = getattr(error, "orig", None)
    return str(original or error).strip().splitlines()[0]
