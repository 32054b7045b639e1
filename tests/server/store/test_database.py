"""The schema that migrations make is the one in the code; what cannot be opened says why."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from policyc_server.store.database import StoreError, open_database, sqlite_url
from policyc_server.store.schema import metadata
from policyc_server.store.store import Store
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError


def test_migrations_make_the_schema(url: str) -> None:
    engine = open_database(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_several_processes_may_start_at_once(url: str) -> None:
    failures: list[BaseException] = []

    def start() -> None:
        try:
            open_database(url).dispose()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    engine = open_database(sqlite_url(tmp_path))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    with pytest.raises(StoreError, match="9999") as caught:
        open_database(sqlite_url(tmp_path))
    assert caught.value.code == "store_newer"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("sqlite:////nonexistent/policyc.db", "store_unavailable"),
        ("postgresql://user:hunter2@127.0.0.1:1/policyc", "store_unavailable"),
        ("mysql://user:hunter2@host/policyc", "store_unsupported"),
        ("hunter2", "store_unavailable"),
    ],
)
def test_what_cannot_be_opened_says_why_without_the_password(url: str, code: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_database(url)
    assert caught.value.code == code
    assert "hunter2" not in str(caught.value)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "policyc.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError) as caught:
        open_database(sqlite_url(tmp_path))
    assert caught.value.code == "store_unavailable"


def test_errors_do_not_say_what_was_written(url: str) -> None:
    engine = open_database(url)
    with engine.connect() as connection, pytest.raises(SQLAlchemyError) as raised:
        connection.execute(text("INSERT INTO nowhere VALUES (:args)"), {"args": "correct horse battery"})
    engine.dispose()
    assert "correct horse battery" not in str(raised.value)


def test_only_its_owner_reads_the_embedded_database(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    store = Store(sqlite_url(tmp_path))
    store.secret("approval_tokens")
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    store.close()
    assert found == dict.fromkeys(("policyc.db", "policyc.db-wal", "policyc.db-shm"), 0o600)
