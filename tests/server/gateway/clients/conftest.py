"""One policy server for all tests of the clients; each says what the model will say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from policyc_server.store.database import sqlite_url

from policyc.stand_in.app import StandIn
from policyc.stand_in.script import Script
from policyc.stand_in.serving import serving
from server.approvals.material import make_keys
from server.gateway.clients.firewall import CREDENTIAL, POLICY, Firewall, write_settings
from server.process import ServerProcess


@pytest.fixture(scope="session")
def _firewall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firewall]:
    folder = tmp_path_factory.mktemp("gateway")
    bundle, state = folder / "agent.yaml", folder / "state"
    bundle.write_text(POLICY)
    state.mkdir()
    secrets = make_keys(sqlite_url(state), "shop-agent", "dana", "root")
    stand_in = StandIn(Script())
    with serving(stand_in) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAND_IN_CREDENTIAL", CREDENTIAL)
        settings = write_settings(folder / "settings.yaml", url)
        server = ServerProcess(bundle, "--state", state, "--settings", settings)
        try:
            yield Firewall(server.ready(), stand_in, url, secrets)
        finally:
            server.kill()


@pytest.fixture
def firewall(_firewall: Firewall) -> Iterator[Firewall]:
    _firewall.says()
    yield _firewall
    _firewall.close_clients()
