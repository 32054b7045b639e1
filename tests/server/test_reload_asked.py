"""`POST /v1/reload`: a look at the source when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from policyc_server.auth.permissions import roles_for
from policyc_server.remote.url import BundleUrl

from server.in_process import InProcess
from server.material import PAYMENT, make_artifact, put
from server.remote.source_server import source_server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An artifact that denies the payment."""
    found = tmp_path / "p.tar.gz"
    put(found, make_artifact(tmp_path / "sources", 1))
    return found


def reloaded(client: InProcess) -> httpx.Response:
    return client.post("/v1/reload")


def test_what_is_on_disk_is_served_once_it_is_answered(
    client_of: Callable[..., InProcess], path: Path, tmp_path: Path
) -> None:
    client = client_of(path, poll=600.0)
    before = client.status()["policy"]["revision"]
    put(path, make_artifact(tmp_path / "sources", 10**6))
    answer = reloaded(client)
    assert answer.status_code == 200
    assert answer.json()["policy"]["revision"] != before
    assert client.verdict(PAYMENT) == "allow"


def test_what_cannot_be_served_is_said_and_tried_again_when_asked(
    client_of: Callable[..., InProcess], path: Path
) -> None:
    client = client_of(path, poll=600.0)
    put(path, b"broken")
    for _ in range(3):
        attempts = (client.status()["reload"]["error"] or {"attempts": 0})["attempts"]
        answer = reloaded(client)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "reload_failed")
        assert answer.json()["error"]["metadata"]["error"]["attempts"] > attempts
    assert client.verdict(PAYMENT) == "deny"


def test_what_is_at_a_url_is_served_once_it_is_answered(
    client_of: Callable[..., InProcess], path: Path, tmp_path: Path
) -> None:
    with source_server() as source:
        source.content, source.etag = path.read_bytes(), '"1"'
        client = client_of(BundleUrl(source.url), refresh=600.0)
        source.content, source.etag = make_artifact(tmp_path / "sources", 10**6), '"2"'
        assert reloaded(client).status_code == 200
        assert client.verdict(PAYMENT) == "allow"
        source.status = 500
        assert reloaded(client).json()["error"]["metadata"]["error"]["code"] == "download_failed"


def test_only_admins_ask() -> None:
    assert roles_for("POST", "/v1/reload") == {"admin"}


def test_a_method_that_does_not_fit_is_told_which_does(client: InProcess) -> None:
    answer = client.get("/v1/reload")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "use POST here" in answer.json()["error"]["message"]
