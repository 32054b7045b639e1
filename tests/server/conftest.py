"""Apps in this process and servers as processes, all on real files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from policyc_server import create_app
from policyc_server.settings import Settings

from server.in_process import InProcess
from server.material import Keys, make_artifact, make_keys
from server.process import ServerProcess


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """The key that signs releases."""
    return make_keys(tmp_path_factory.mktemp("keys"), "release")


@pytest.fixture(scope="session")
def other_keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """Another key."""
    return make_keys(tmp_path_factory.mktemp("other"), "other")


@pytest.fixture(scope="session")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unsigned artifact with a cap of 100000 that no test changes."""
    folder = tmp_path_factory.mktemp("artifact")
    path = folder / "payments.tar.gz"
    path.write_bytes(make_artifact(folder / "sources"))
    return path


@pytest.fixture
def serve() -> Iterator[Callable[..., ServerProcess]]:
    """Starts servers and ends them after the test."""
    servers: list[ServerProcess] = []

    def start(bundle: Path, *options: str | Path, **more: Any) -> ServerProcess:
        servers.append(ServerProcess(bundle, *options, **more))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


@pytest.fixture
def client_of() -> Iterator[Callable[..., InProcess]]:
    """Makes clients of apps in this process."""
    clients: list[InProcess] = []

    def make(bundle: Path, **changes: Any) -> InProcess:
        sink = changes.pop("sink", None)
        clients.append(InProcess(create_app(Settings(bundle, **changes), sink)))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def client(client_of: Callable[..., InProcess], artifact: Path) -> InProcess:
    """A client of the artifact's app."""
    return client_of(artifact)
