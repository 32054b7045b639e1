"""A server in this process with a store and keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from policyc_server.store.database import sqlite_url

from server.approvals.material import As, make_keys
from server.in_process import InProcess
from server.store.conftest import postgres, postgres_url, store, url

__all__ = ["postgres", "postgres_url", "store", "url"]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


@pytest.fixture
def who(client_of: Callable[..., InProcess], artifact: Path, state: Path) -> Callable[[str], As]:
    """Everybody by the id of their key."""
    secrets = make_keys(sqlite_url(state))
    client = client_of(artifact, state=state)
    return lambda name: As(client.request, secrets[name])
