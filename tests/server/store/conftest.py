"""Stores on real databases: SQLite always, PostgreSQL where its server is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from policyc_server.store.database import sqlite_url
from policyc_server.store.store import Store


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server of the tests' own, without a database name."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if not binaries:
        pytest.skip("PostgreSQL's server is not installed")
    folder = Path(f"/tmp/policyc-pg-{uuid.uuid4().hex[:8]}")
    folder.mkdir()
    as_user = _as_postgres(folder)
    data = folder / "data"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    control = binaries[-1]
    run = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **as_user}
    subprocess.run([control.with_name("initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-N"], **run)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    subprocess.run([control, "-D", data, "-o", options, "-l", folder / "log", "-w", "start"], **run)
    yield f"postgresql://postgres@127.0.0.1:{port}"
    subprocess.run([control, "-D", data, "-m", "immediate", "-w", "stop"], **run)
    shutil.rmtree(folder)


def _as_postgres(folder: Path) -> dict[str, object]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "cwd": folder}


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path)
    server = request.getfixturevalue("postgres")
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = Store(url)
    yield opened
    opened.close()
