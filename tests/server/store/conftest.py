"""Stores on real databases: SQLite always, PostgreSQL where its server is installed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from policyc_server.store.database import sqlite_url
from policyc_server.store.store import Store

from policyc.bench.postgresql import is_installed, postgresql


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server of the tests' own, without a database name."""
    if not is_installed():
        pytest.skip("PostgreSQL's server is not installed")
    with postgresql("fsync=off") as server:
        yield server


@pytest.fixture
def postgres_url(postgres: str) -> str:
    """An empty database of PostgreSQL."""
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{postgres}/{name}"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path)
    made: str = request.getfixturevalue("postgres_url")
    return made


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = Store(url)
    yield opened
    opened.close()
