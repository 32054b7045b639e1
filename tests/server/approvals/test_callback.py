"""A decision that comes signed: from whom, about what, and when."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from policyc_server.approvals.signing import SIGNATURE, TIMESTAMP, WINDOW, problem, signed_headers
from policyc_server.store.database import sqlite_url
from policyc_server.store.schema import approvals as table
from policyc_server.store.store import Store
from sqlalchemy import update

from server.approvals.material import As, error, make_keys
from server.in_process import InProcess

SECRET = "a secret of the webhook"


@pytest.fixture
def client(client_of: Callable[..., InProcess], artifact: Path, state: Path) -> InProcess:
    return client_of(artifact, state=state, webhook_secret=SECRET)


@pytest.fixture
def approval(client: InProcess, state: Path) -> str:
    """A hold that dana may approve."""
    secrets = make_keys(sqlite_url(state), "shop-agent", "dana", "insider")
    client.app._keyring._refresh()
    held = As(client.request, secrets["shop-agent"]).hold()
    store = Store(sqlite_url(state))
    with store._engine.begin() as connection:
        connection.execute(update(table).values(approvers='["dana", "insider"]'))
    store.close()
    return held


def call(
    client: InProcess,
    approval: str,
    changes: dict[str, Any] | None = None,
    *,
    secret: str = SECRET,
    age: float = 0,
    path: str | None = None,
    headers: dict[str, str] | None = None,
) -> httpx.Response:
    document = {"approval_id": approval, "decision": "approve", "by": "dana", "comment": "by mail"}
    body = json.dumps(document | (changes or {})).encode()
    signed = signed_headers(secret, body, time.time() - age) | (headers or {})
    return client.post(f"/v1/approvals/{path or approval}/callback", content=body, headers=signed)


def test_an_approver_decides_by_callback(client: InProcess, approval: str) -> None:
    answer = call(client, approval)
    assert answer.status_code == 200, answer.text
    decided = answer.json()
    assert (decided["state"], decided["decided_by"], decided["comment"]) == ("approved", "dana", "by mail")
    assert decided["decided_from"].startswith("callback ")
    replayed = call(client, approval)
    assert (replayed.status_code, error(replayed)) == (409, "approval_decided")


@pytest.mark.parametrize(
    ("options", "status", "code"),
    [
        ({"secret": "another secret of 16"}, 403, "callback_unsigned"),
        ({"age": WINDOW + 5}, 403, "callback_unsigned"),
        ({"age": -WINDOW - 5}, 403, "callback_unsigned"),
        ({"headers": {SIGNATURE: ""}}, 403, "callback_unsigned"),
        ({"headers": {SIGNATURE: "sha256=é".encode()}}, 403, "callback_unsigned"),
        ({"headers": {TIMESTAMP: str(int(time.time()) + 1)}}, 403, "callback_unsigned"),
        ({"headers": {TIMESTAMP: "soon"}}, 403, "callback_unsigned"),
        ({"changes": {"by": "mallory"}}, 403, "not_an_approver"),
        ({"changes": {"by": "insider"}}, 403, "own_agent"),
        ({"changes": {"by": 7}}, 422, "invalid_decision"),
        ({"changes": {"decision": "maybe"}}, 422, "invalid_decision"),
        ({"changes": {"decision": ["approve"]}}, 422, "invalid_decision"),
        ({"changes": {"extra": 1}}, 422, "invalid_decision"),
        ({"changes": {"approval_id": "another"}}, 422, "invalid_decision"),
        ({"path": "another"}, 422, "invalid_decision"),
    ],
)
def test_what_decides_nothing(
    client: InProcess, approval: str, options: dict[str, Any], status: int, code: str
) -> None:
    answer = call(client, approval, **options)
    assert (answer.status_code, error(answer)) == (status, code)
    assert call(client, approval).status_code == 200


def test_whoever_is_not_named_decides_nothing(client: InProcess, approval: str, state: Path) -> None:
    store = Store(sqlite_url(state))
    with store._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE approvals SET approvers = '[]'")
    store.close()
    answer = call(client, approval)
    assert (answer.status_code, error(answer)) == (403, "not_an_approver")


def test_without_a_secret_there_are_no_callbacks(
    client_of: Callable[..., InProcess], artifact: Path, tmp_path: Path
) -> None:
    answer = call(client_of(artifact, state=tmp_path / "other"), "x", secret="")
    assert (answer.status_code, error(answer)) == (403, "callback_off")


def test_a_signature_covers_every_byte() -> None:
    headers = signed_headers(SECRET, b"body", 1_000)
    assert problem(headers, SECRET, b"body", 1_000 + WINDOW) is None
    assert problem(headers, SECRET, b"bodY", 1_000) is not None
    assert problem(headers, SECRET + "x", b"body", 1_000) is not None
    assert problem(headers, SECRET, b"body", 1_001 + WINDOW) is not None
