"""What a rule says about its holds, from YAML to real servers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from policyc_server.approvals.signing import signed_headers
from policyc_server.store.database import sqlite_url

from server.approvals.material import DEPLOY, As, error, make_keys, reason
from server.process import ServerProcess, eventually

pytestmark = pytest.mark.slow

SECRET = "a secret of the webhook"
POLICY = """\
default_verdict: allow
rules:
  - priority: 1
    label: hold deploys
    tool_name_glob: deploy.*
    verdict: pending_approval
    reason: {reason}
    approval: {approval}
"""

Serve = Callable[..., ServerProcess]


def policy(path: Path, approval: str, reason: str = "A person looks.") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(POLICY.format(approval=approval, reason=reason))
    return path


def test_a_hold_lasts_as_long_as_its_rule_says(serve: Serve, tmp_path: Path, state: Path) -> None:
    secrets = make_keys(sqlite_url(state))
    server = serve(policy(tmp_path / "p.yaml", "{ttl: 1}"), "--state", state).ready()
    agent, dana = (As(server.client.request, secrets[name]) for name in ("shop-agent", "dana"))
    approval = agent.hold()
    eventually(lambda: agent.get(f"/v1/approvals/{approval}").json()["state"] == "expired")
    late = dana.approve(approval)
    assert (late.status_code, error(late)) == (409, "approval_expired")
    assert agent.hold() != approval


def test_only_the_rules_approvers_decide(
    serve: Serve, tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLICYC_WEBHOOK_SECRET", SECRET)
    secrets = make_keys(sqlite_url(state))
    server = serve(policy(tmp_path / "p.yaml", "{approvers: [dana]}"), "--state", state).ready()
    agent, erin, dana = (As(server.client.request, secrets[who]) for who in ("shop-agent", "erin", "dana"))

    def call_back(approval: str, by: str) -> httpx.Response:
        body = json.dumps({"approval_id": approval, "decision": "approve", "by": by}).encode()
        path = f"/v1/approvals/{approval}/callback"
        return server.client.post(path, content=body, headers=signed_headers(SECRET, body, time.time()))

    approval = agent.hold()
    for refused in (call_back(approval, "erin"), erin.approve(approval)):
        assert (refused.status_code, error(refused)) == (403, "not_an_approver")
    assert agent.get(f"/v1/approvals/{approval}").json()["state"] == "pending"
    assert call_back(approval, "dana").status_code == 200
    assert agent.enforce(DEPLOY, agent.token(approval)).status_code == 200
    assert dana.approve(agent.hold()).status_code == 200


def test_servers_on_two_revisions_keep_their_holds_apart(serve: Serve, tmp_path: Path, state: Path) -> None:
    url = sqlite_url(state)
    secrets = make_keys(url)
    old, new = (
        serve(policy(tmp_path / text / "p.yaml", "{ttl: 600}", text), "--database", url).ready()
        for text in ("old", "new")
    )
    agents = [As(server.client.request, secrets["shop-agent"]) for server in (old, new)]
    dana = As(old.client.request, secrets["dana"])
    eventually(lambda: len(dana.get("/v1/status").json()["workers"]) == 2)
    first = [agent.hold() for agent in agents]
    assert first[0] != first[1]
    assert [agent.hold() for agent in agents] == first
    assert dana.approve(first[0]).status_code == 200
    # Under the other wording a person has to answer the other question.
    token = agents[0].token(first[0])
    held = agents[1].enforce(DEPLOY, token)
    assert (error(held), reason(held)) == ("firewall_approval_pending", "rule_changed")
    assert held.json()["error"]["metadata"]["approval_id"] == first[1]
    assert agents[0].enforce(DEPLOY, token).status_code == 200
