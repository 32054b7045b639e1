"""Keys of the people and agents in the tests of approvals, and requests that carry them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from policyc_server.store.database import sqlite_url
from policyc_server.store.keys import Key, new_secret
from policyc_server.store.store import Store

DEPLOY = {"tool": "deploy.release", "args": {"service": "shop", "environment": "production"}, "run": "run-1"}
TOKEN = "X-Firewall-Approval"

#: Who is there: id -> role and agent.
PEOPLE = {
    "shop-agent": ("agent", "shop"),
    "other-agent": ("agent", "other"),
    "dana": ("reviewer", None),
    "erin": ("reviewer", None),
    "insider": ("reviewer", "shop"),
    "root": ("admin", None),
}


def make_keys(url: str, *names: str) -> dict[str, str]:
    """Keys in the store at ``url``, everybody's where none are named; the secret of each."""
    store = Store(url)
    secrets = {name: new_secret() for name in names or PEOPLE}
    for name, secret in secrets.items():
        role, agent = PEOPLE[name]
        store.keys.create(Key(name, role, agent, None, 0, None), secret)
    store.close()
    return secrets


def revoke(state: Path, key: str) -> None:
    store = Store(sqlite_url(state))
    assert store.keys.revoke(key, 1)
    store.close()


class As:
    """Requests with somebody's key; ``request`` is a client's method."""

    def __init__(self, request: Callable[..., httpx.Response], secret: str) -> None:
        self._request = request
        self._bearer = {"authorization": f"Bearer {secret}"}

    def get(self, path: str) -> Any:
        return self._request("GET", path, headers=self._bearer)

    def post(self, path: str, document: object = None, **headers: str) -> httpx.Response:
        return self._request("POST", path, json=document, headers={**self._bearer, **headers})

    def enforce(self, call: object, token: str | None = None) -> httpx.Response:
        return self.post("/v1/enforce", call, **({} if token is None else {TOKEN: token}))

    def hold(self, call: object = DEPLOY) -> str:
        """The id of the hold that the call opens."""
        answer = self.enforce(call)
        assert (answer.status_code, error(answer)) == (400, "firewall_approval_pending"), answer.text
        return str(answer.json()["error"]["metadata"]["approval_id"])

    def approve(self, approval: str, comment: str | None = None) -> httpx.Response:
        return self.post(f"/v1/approvals/{approval}/approve", {"comment": comment})

    def deny(self, approval: str, comment: str | None = None) -> httpx.Response:
        return self.post(f"/v1/approvals/{approval}/deny", {"comment": comment})

    def token(self, approval: str) -> str:
        return str(self.get(f"/v1/approvals/{approval}").json()["token"])


def error(answer: httpx.Response) -> str:
    return str(answer.json()["error"]["code"])


def reason(answer: httpx.Response) -> str:
    """The reason code of a call that was blocked or held."""
    return str(answer.json()["error"]["metadata"]["reason_code"])
