"""A server with a store and people's keys, and those who visit it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from server.auth.test_keys import keys
from server.console.visitor import Visitor
from server.in_process import InProcess


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def secrets(state: Path) -> dict[str, str]:
    """Keys by role; the reviewer is rita, the agent is payer's."""
    return {
        "reviewer": keys("create", "rita", "--role", "reviewer", "--state", state),
        "admin": keys("create", "ada", "--role", "admin", "--state", state),
        "agent": keys("create", "bot", "--role", "agent", "--agent", "payer", "--state", state),
    }


@pytest.fixture
def guarded(
    client_of: Callable[..., InProcess], artifact: Path, state: Path, secrets: dict[str, str]
) -> InProcess:
    """A server with keys."""
    assert secrets
    return client_of(artifact, state=state)


@pytest.fixture
def rita(guarded: InProcess, secrets: dict[str, str]) -> Visitor:
    """A reviewer who has logged in."""
    visitor = Visitor(guarded)
    assert visitor.log_in(secrets["reviewer"]).status_code == 303
    return visitor


@pytest.fixture
def local(client_of: Callable[..., InProcess], artifact: Path, state: Path) -> InProcess:
    """A server without keys."""
    return client_of(artifact, state=state)
