import pytest
from hooks.runtime.https_server import Server
from hooks.runtime.processes_seen import Marker


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def marker():
    return Marker()
