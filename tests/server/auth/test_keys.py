"""Keys over real servers: who gets in, as whom, and for how long."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from policyc_server.auth.permissions import roles_for

from policyc.cli.keys import command
from server.in_process import InProcess
from server.material import PAYMENT
from server.process import ServerProcess, eventually


def keys(*args: object) -> str:
    """What `policyc keys` prints; fails where it does."""
    result = CliRunner().invoke(command, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    return result.output.strip()


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


@pytest.fixture(params=["--state", "--file"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """Where keys are kept."""
    return request.param, tmp_path / ("state" if request.param == "--state" else "keys.json")


@pytest.fixture
def client_with(
    client_of: Callable[..., InProcess], artifact: Path, place: tuple[str, Path]
) -> Callable[[], InProcess]:
    option, path = place
    return lambda: client_of(artifact, **{"state" if option == "--state" else "keys_file": path})


def test_each_role_has_its_requests(client_with: Callable[[], InProcess], place: tuple[str, Path]) -> None:
    secrets = {
        "agent": keys("create", "a", "--role", "agent", "--agent", "payer", *place),
        "reviewer": keys("create", "r", "--role", "reviewer", *place),
        "admin": keys("create", "d", "--role", "admin", *place),
    }
    client = client_with()
    for path, method, body in (
        ("/v1/evaluate", "POST", PAYMENT),
        ("/v1/status", "GET", None),
        ("/metrics", "GET", None),
    ):
        for role, secret in secrets.items():
            answer = client.request(method, path, json=body, headers=bearer(secret))
            allowed = role in roles_for(method, path)
            assert answer.status_code == (200 if allowed else 403), (path, role)
            if not allowed:
                assert answer.json()["error"]["code"] == "forbidden"
    assert client.post("/v1/evaluate", PAYMENT).status_code == 401
    assert client.post("/v1/evaluate", PAYMENT, headers=bearer("pc_wrong")).status_code == 401
    assert client.get("/health").status_code == 200


def test_agents_are_not_told_how_rules_decide(
    client_with: Callable[[], InProcess], place: tuple[str, Path]
) -> None:
    agent = bearer(keys("create", "a", "--role", "agent", "--agent", "payer", *place))
    bound = bearer(keys("create", "d", "--role", "admin", "--policy", "nowhere", *place))
    admin = bearer(keys("create", "e", "--role", "admin", *place))
    client = client_with()
    refused = client.post("/v1/evaluate?explain=1", PAYMENT, headers=agent)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    assert client.post("/v1/evaluate?explain=1", PAYMENT, headers=admin).json()["explain"]
    assert client.post("/v1/evaluate?explain=1", PAYMENT, headers=bound).json()["explain"] == []


def test_a_call_is_of_its_keys_agent(client_with: Callable[[], InProcess], place: tuple[str, Path]) -> None:
    secret = keys("create", "a", "--role", "agent", "--agent", "payer", *place)
    client = client_with()
    for agent in ({}, {"agent": "payer"}):
        assert client.post("/v1/evaluate", PAYMENT | agent, headers=bearer(secret)).status_code == 200
    answer = client.post("/v1/evaluate", [PAYMENT, PAYMENT | {"agent": "boss"}], headers=bearer(secret))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "agent_mismatch")


def test_a_keys_policy_governs_it(client_with: Callable[[], InProcess], place: tuple[str, Path]) -> None:
    secret = keys("create", "a", "--role", "agent", "--agent", "payer", "--policy", "nowhere", *place)
    decided = client_with().post("/v1/evaluate", PAYMENT, headers=bearer(secret)).json()
    assert (decided["verdict"], decided["reason_code"]) == ("deny", "no_policy")


def test_a_revoked_key_is_refused_soon(client_with: Callable[[], InProcess], place: tuple[str, Path]) -> None:
    secret = keys("create", "a", "--role", "admin", *place)
    client = client_with()
    assert client.get("/v1/status", headers=bearer(secret)).status_code == 200
    keys("revoke", "a", *place)
    eventually(lambda: client.get("/v1/status", headers=bearer(secret)).status_code == 401)
    assert client.get("/v1/status").status_code == 401  # the last key gone does not open the door


def test_the_first_key_shuts_the_door(
    client_of: Callable[..., InProcess], artifact: Path, tmp_path: Path
) -> None:
    client = client_of(artifact, state=tmp_path)
    assert client.get("/v1/status").status_code == 200
    keys("create", "a", "--role", "admin", "--state", tmp_path)
    eventually(lambda: client.get("/v1/status").status_code == 401)


def test_no_secret_is_kept(place: tuple[str, Path]) -> None:
    secret = keys("create", "a", "--role", "admin", *place)
    files = [place[1]] if place[1].is_file() else list(place[1].iterdir())
    assert files
    assert all(secret.encode() not in file.read_bytes() for file in files)
    listed = json.loads(keys("list", *place, "--format", "json"))
    assert [key["id"] for key in listed["keys"]] == ["a"]
    assert secret not in json.dumps(listed)
    if place[0] == "--file":
        assert place[1].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("create", "a", "--role", "agent"), "key_invalid"),
        (("create", "a b", "--role", "admin"), "key_invalid"),
        (("create", "token", "--role", "reviewer"), "key_invalid"),
        (("create", "a", "--role", "admin", "--agent", "x"), "key_invalid"),
        (("revoke", "nobody"), "key_unknown"),
    ],
)
def test_what_makes_no_key(tmp_path: Path, args: tuple[str, ...], code: str) -> None:
    result = CliRunner().invoke(command, [*args, "--state", str(tmp_path), "--format", "json"])
    assert result.exit_code == 2
    assert json.loads(result.output)["error"]["code"] == code


def test_an_id_is_one_keys(place: tuple[str, Path]) -> None:
    keys("create", "a", "--role", "admin", *place)
    result = CliRunner().invoke(command, ["create", "a", "--role", "admin", *map(str, place)])
    assert (result.exit_code, "key_exists" in result.output) == (2, True)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"keys": {}}',
        '{"keys": [{"id": "a"}]}',
        '{"keys": [{"id": "a", "role": "root", "hash": "%s"}]}' % ("0" * 64),
        '{"keys": [{"id": "a", "role": "admin", "hash": "x"}]}',
        '{"keys": [{"id": "a", "role": "admin", "hash": "%s", "secret": "s"}]}' % ("0" * 64),
    ],
)
def test_a_damaged_file_serves_nobody(
    serve: Callable[..., ServerProcess], artifact: Path, tmp_path: Path, content: str
) -> None:
    (tmp_path / "keys.json").write_text(content)
    server = serve(artifact, "--keys-file", tmp_path / "keys.json")
    assert server.wait() == 2
    assert "keys_unreadable" in server.stderr


def test_a_lockdown_denies_everything_and_survives(
    serve: Callable[..., ServerProcess], artifact: Path, tmp_path: Path
) -> None:
    admin = bearer(keys("create", "boss", "--role", "admin", "--state", tmp_path))
    agent = bearer(keys("create", "a", "--role", "agent", "--agent", "payer", "--state", tmp_path))

    def ask(server: ServerProcess, path: str, body: Any, headers: dict[str, str]) -> httpx.Response:
        return httpx.post(f"{server.url}{path}", json=body, headers=headers, timeout=20)

    server = serve(artifact, "--state", tmp_path).ready()
    assert ask(server, "/v1/lockdown", {"on": True}, agent).status_code == 403
    turned = ask(server, "/v1/lockdown", {"on": True, "why": "an incident"}, admin).json()
    assert (turned["on"], turned["by"], turned["why"]) == (True, "boss", "an incident")
    blocked = ask(server, "/v1/enforce", PAYMENT, agent)
    assert blocked.json()["error"]["metadata"]["reason_code"] == "lockdown"
    server.process.kill()
    server.wait()
    server = serve(artifact, "--state", tmp_path).ready()
    assert ask(server, "/v1/enforce", PAYMENT, agent).status_code == 400
    assert ask(server, "/v1/lockdown", {"on": False}, admin).json()["on"] is False
    assert ask(server, "/v1/enforce", PAYMENT, agent).status_code == 200


@pytest.mark.parametrize(
    "body", [{}, [], {"on": 1}, {"on": True, "whY": "x"}, {"on": True, "why": "x" * 501}]
)
def test_a_switch_that_cannot_be_read_is_not_turned(
    client_of: Callable[..., InProcess], artifact: Path, tmp_path: Path, body: object
) -> None:
    client = client_of(artifact, state=tmp_path)
    assert client.post("/v1/lockdown", body).status_code == 422
    assert client.get("/v1/lockdown").json()["on"] is False
