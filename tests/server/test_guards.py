"""Who gets in, and how refusals look."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from server.in_process import InProcess
from server.material import PAYMENT


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        ("Bearer ", 401),
        ("Bearer wrong", 401),
        ("Bearer secret2", 401),
        ("Basic secret", 401),
        ("secret", 401),
        ("Bearer secret", 200),
        ("bearer  secret", 200),
    ],
)
def test_the_token(
    client_of: Callable[..., InProcess], artifact: Path, header: str | None, status: int
) -> None:
    client = client_of(artifact, token="secret")
    headers = {} if header is None else {"authorization": header}
    for path in ("/v1/status", "/v1/policies", "/metrics", "/openapi.json"):
        assert client.get(path, headers=headers).status_code == status
    answer = client.post("/v1/evaluate", PAYMENT, headers=headers)
    assert answer.status_code == status
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"
        error = answer.json()["error"]
        assert (error["code"], error["type"]) == ("unauthorized", "authentication_error")


def test_probes_need_no_token(client_of: Callable[..., InProcess], artifact: Path) -> None:
    assert client_of(artifact, token="secret").get("/health").status_code == 200


def test_who_is_unknown_does_not_learn_what_there_is(
    client_of: Callable[..., InProcess], artifact: Path
) -> None:
    client = client_of(artifact, token="secret")
    assert client.get("/nowhere").status_code == client.get("/v1/evaluate").status_code == 401


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8460", "127.0.0.1:1", "127.1.2.3", "[::1]:8460", "LOCALHOST"]
)
def test_names_of_this_machine(client: InProcess, host: str) -> None:
    assert client.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1:1:2",
        "10.0.0.1",
        "a@localhost",
    ],
)
def test_other_names_are_refused(client: InProcess, host: str) -> None:
    answer = client.post("/v1/evaluate", PAYMENT, headers={"host": host})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["type"]) == (403, "host_refused", "permission_error")
    assert client.get("/health", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8460", 200),
        ("http://127.0.0.1:3000", 403),
        ("http://localhost:8460", 403),
        ("null", 403),
        ("", 403),
        ("http://evil.example", 403),
        ("file://", 403),
    ],
)
def test_pages_of_other_origins_are_refused(client: InProcess, origin: str, status: int) -> None:
    assert client.post("/v1/evaluate", PAYMENT, headers={"origin": origin}).status_code == status


def test_beyond_loopback_names_are_the_operators_business(
    client_of: Callable[..., InProcess], artifact: Path
) -> None:
    client = client_of(artifact, host="0.0.0.0", token="secret")
    headers = {"host": "policy.example", "authorization": "Bearer secret"}
    assert client.get("/v1/status", headers=headers).status_code == 200
