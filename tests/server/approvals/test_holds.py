"""The deployment story, and each way that it may not go."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from policyc_server.store.database import sqlite_url
from policyc_server.store.store import Store

from server.approvals.material import DEPLOY, TOKEN, As, error, make_keys, reason, revoke
from server.in_process import InProcess
from server.material import POLICY, put
from server.process import eventually

Who = Callable[[str], As]


def test_held_then_approved_then_passed_once(who: Who) -> None:
    agent, dana = who("shop-agent"), who("dana")
    held = agent.enforce(DEPLOY)
    assert (held.status_code, error(held)) == (400, "firewall_approval_pending")
    assert held.headers["x-should-retry"] == "false"
    metadata = held.json()["error"]["metadata"]
    approval = metadata["approval_id"]
    assert metadata["poll"] == f"/v1/approvals/{approval}"
    polled = agent.get(metadata["poll"]).json()
    assert (polled["state"], polled["token"], "args" in polled) == ("pending", None, False)
    assert dana.approve(approval, "checked with ops").status_code == 200
    passed = agent.enforce(DEPLOY, agent.token(approval))
    assert passed.status_code == 200, passed.text
    assert (passed.json()["verdict"], passed.json()["reason_code"]) == ("allow", "approved")
    assert passed.json()["reason"] == "approved by dana: checked with ops"
    assert agent.get(metadata["poll"]).json()["state"] == "consumed"


def test_evaluate_reports_the_same(who: Who) -> None:
    agent = who("shop-agent")
    decided = agent.post("/v1/evaluate", DEPLOY).json()
    assert (decided["verdict"], decided["allowed"]) == ("pending_approval", False)
    assert decided["poll"] == f"/v1/approvals/{decided['approval_id']}"
    assert agent.hold() == decided["approval_id"]
    who("dana").approve(decided["approval_id"])
    token = agent.token(decided["approval_id"])
    again = agent.post("/v1/evaluate", DEPLOY).json()
    assert (again["allowed"], again["approval_id"], again["approved"]) == (
        False,
        decided["approval_id"],
        True,
    )
    assert agent.post("/v1/evaluate", DEPLOY, **{TOKEN: token}).json()["allowed"] is True
    assert agent.post("/v1/evaluate", DEPLOY, **{TOKEN: token}).json()["reason_code"] == "approval_used"


def test_a_token_is_for_one_call_of_a_request(who: Who) -> None:
    answer = who("shop-agent").post("/v1/evaluate", [DEPLOY], **{TOKEN: "x"})
    assert (answer.status_code, error(answer)) == (422, "approval_of_one")


OTHERS = {
    "arguments": DEPLOY | {"args": {"service": "shop", "environment": "staging"}},
    "tool": DEPLOY | {"tool": "deploy.rollback"},
    "run": DEPLOY | {"run": "run-2"},
    "folder": DEPLOY | {"cwd": "/elsewhere"},
    "number": DEPLOY | {"args": {"service": "shop", "environment": "production", "count": 1.0}},
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_token_is_for_the_call_that_was_approved(who: Who, other: str) -> None:
    agent = who("shop-agent")
    call = DEPLOY | {"args": {**DEPLOY["args"], "count": 1}} if other == "number" else DEPLOY
    approval = agent.hold(call)
    who("dana").approve(approval)
    token = agent.token(approval)
    refused = agent.enforce(OTHERS[other], token)
    assert (error(refused), reason(refused)) == ("firewall_blocked", "approval_mismatch")
    assert agent.enforce(call, token).status_code == 200  # it was not used up by that


def test_a_token_is_for_the_agent_that_was_approved(who: Who) -> None:
    agent = who("shop-agent")
    approval = agent.hold()
    who("dana").approve(approval)
    assert reason(who("other-agent").enforce(DEPLOY, agent.token(approval))) == "approval_mismatch"


def test_a_second_use_is_refused(who: Who) -> None:
    agent = who("shop-agent")
    approval = agent.hold()
    who("dana").approve(approval)
    token = agent.token(approval)
    assert agent.enforce(DEPLOY, token).status_code == 200
    assert reason(agent.enforce(DEPLOY, token)) == "approval_used"
    assert agent.hold() != approval  # without the token it is asked about anew


def test_no_is_no_for_a_while(who: Who) -> None:
    agent = who("shop-agent")
    approval = agent.hold()
    token = f"{approval}.{'0' * 64}"
    who("dana").deny(approval, "not on a Friday")
    refused = agent.enforce(DEPLOY)
    assert reason(refused) == "approval_denied"
    assert "denied by dana: not on a Friday" in refused.json()["error"]["message"]
    assert agent.get(f"/v1/approvals/{approval}").json()["token"] is None
    assert reason(agent.enforce(DEPLOY, token)) == "approval_unknown"


@pytest.mark.parametrize("token", ["", "x", "é", "00000000-0000-0000-0000-000000000000.00", "." * 5000])
def test_a_token_that_is_made_up(who: Who, token: str) -> None:
    refused = who("shop-agent").post("/v1/enforce", DEPLOY, **{TOKEN: token.encode("latin-1")})  # type: ignore[arg-type]
    assert reason(refused) == "approval_unknown"


def test_the_time_of_a_hold_and_of_an_approval_ends(
    client_of: Callable[..., InProcess], artifact: Path, state: Path
) -> None:
    secrets = make_keys(sqlite_url(state))
    client = client_of(artifact, state=state, approval_ttl=1)
    agent, dana = (As(client.request, secrets[name]) for name in ("shop-agent", "dana"))
    unanswered = agent.hold()
    unused = agent.hold(DEPLOY | {"run": "other"})
    dana.approve(unused)
    token = agent.token(unused)
    for approval in (unanswered, unused):
        eventually(lambda path=f"/v1/approvals/{approval}": agent.get(path).json()["state"] == "expired")
        assert agent.get(f"/v1/approvals/{approval}").json()["cause"] == "timed_out"
    assert reason(agent.enforce(DEPLOY | {"run": "other"}, token)) == "approval_expired"
    assert error(dana.approve(unanswered)) == "approval_expired"
    assert agent.hold() != unanswered


def test_a_rule_that_changed_is_asked_about_again(
    client_of: Callable[..., InProcess], state: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "agent.yaml"
    policy.write_text(POLICY.format(cap=1))
    secrets = make_keys(sqlite_url(state))
    client = client_of(policy, state=state)
    agent, dana = (As(client.request, secrets[name]) for name in ("shop-agent", "dana"))
    approval = agent.hold()
    dana.approve(approval)
    token = agent.token(approval)
    revision = client.app.serving.snapshot
    put(policy, b"# moved down a line\n" + POLICY.format(cap=2).encode())
    eventually(lambda: client.app.serving.snapshot is not revision)
    assert dana.get(f"/v1/approvals/{approval}").json()["rule_changed"] is False
    revision = client.app.serving.snapshot
    put(
        policy,
        POLICY.format(cap=2).replace("hold deploys", "hold deploys\n    risk_factors: [outage]").encode(),
    )
    eventually(lambda: client.app.serving.snapshot is not revision)
    assert dana.get(f"/v1/approvals/{approval}").json()["rule_changed"] is True
    held = agent.enforce(DEPLOY, token)
    assert (error(held), reason(held)) == ("firewall_approval_pending", "rule_changed")
    assert held.json()["error"]["metadata"]["approval_id"] != approval
    old = dana.get(f"/v1/approvals/{approval}").json()
    assert (old["state"], old["cause"]) == ("expired", "rule_changed")


def test_a_run_may_not_flood_the_reviewers(
    client_of: Callable[..., InProcess], artifact: Path, state: Path
) -> None:
    secrets = make_keys(sqlite_url(state))
    client = client_of(artifact, state=state, approvals_per_run=2)
    agent = As(client.request, secrets["shop-agent"])
    for run in ({"run": "run-1"}, {"run": None}):
        for number in range(2):
            agent.hold(DEPLOY | run | {"args": {"n": number}})
        assert reason(agent.enforce(DEPLOY | run | {"args": {"n": 3}})) == "approval_limit"
        agent.hold(DEPLOY | run | {"args": {"n": 1}})  # one of those that wait


@pytest.mark.parametrize("present", [(), ("shop-agent",), ("shop-agent", "root")])
def test_without_reviewers_nobody_could_approve(
    client_of: Callable[..., InProcess], artifact: Path, state: Path, present: tuple[str, ...]
) -> None:
    secrets = make_keys(sqlite_url(state), *present) if present else {}
    client = client_of(artifact, state=state)
    agent = As(client.request, secrets.get("shop-agent", "none"))
    assert reason(agent.enforce(DEPLOY)) == "approval_unavailable"
    decided = agent.post("/v1/evaluate", DEPLOY).json()
    assert (decided["verdict"], decided["reason_code"]) == ("pending_approval", "approval_unavailable")


def test_every_step_is_an_event(who: Who) -> None:
    agent, dana = who("shop-agent"), who("dana")
    approval = agent.hold()
    dana.approve(approval, "fine")
    token = agent.token(approval)
    agent.enforce(DEPLOY, token)
    agent.enforce(DEPLOY, token)
    eventually(lambda: len(dana.get("/v1/events").json()["events"]) == 3)
    events = dana.get("/v1/events").json()["events"]
    assert [(event["verdict"], event["reason_code"]) for event in reversed(events)] == [
        ("pending_approval", "rule_match"),
        ("allow", "approved"),
        ("deny", "approval_used"),
    ]
    assert events[1]["reason"] == "approved by dana: fine"
    assert {event["rule"] for event in events} == {"hold deploys"}


def test_a_store_that_fails_denies_holds_and_nothing_else(who: Who, state: Path) -> None:
    agent, dana, admin = who("shop-agent"), who("dana"), who("root")
    approval = agent.hold()
    store = Store(sqlite_url(state))
    with store._engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE approvals RENAME TO elsewhere")
    refused = agent.enforce(DEPLOY)
    assert (error(refused), reason(refused)) == ("firewall_blocked", "approval_unavailable")
    assert "the store of approvals fails" in refused.json()["error"]["message"]
    assert agent.post("/v1/evaluate", DEPLOY).json()["verdict"] == "deny"
    assert (dana.approve(approval).status_code, dana.get("/v1/approvals").status_code) == (503, 503)
    assert agent.enforce({"tool": "crm.get"}).status_code == 200
    assert "approvals" in admin.get("/v1/status").json()["approvals"]["error"]
    assert "policyc_approvals_failing 1.0" in admin.get("/metrics").text
    with store._engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO approvals")
    store.close()
    assert agent.hold() == approval
    eventually(lambda: admin.get("/v1/status").json()["approvals"] == {"pending": 1, "error": None})


def test_a_poll_waits_for_the_decision(who: Who) -> None:
    agent, dana = who("shop-agent"), who("dana")
    approval = agent.hold()
    seen: list[str] = []

    def poll() -> None:
        seen.append(agent.get(f"/v1/approvals/{approval}?wait=20").json()["state"])

    waiting = threading.Thread(target=poll)
    waiting.start()
    time.sleep(0.3)
    assert seen == []
    dana.approve(approval)
    waiting.join(15)
    assert seen == ["approved"]


def test_a_server_that_knows_its_url_says_where_to_poll(
    client_of: Callable[..., InProcess], artifact: Path, state: Path
) -> None:
    secrets = make_keys(sqlite_url(state))
    client = client_of(artifact, state=state, public_url="https://policy.example.com/a")
    agent = As(client.request, secrets["shop-agent"])
    held = agent.enforce(DEPLOY).json()["error"]
    poll = f"https://policy.example.com/a/v1/approvals/{held['metadata']['approval_id']}"
    assert held["metadata"]["poll"] == poll
    assert f"Poll GET {poll}, then" in held["message"]
    assert agent.post("/v1/evaluate", DEPLOY).json()["poll"] == poll


def test_a_poll_ends_with_its_key(who: Who, state: Path) -> None:
    agent = who("shop-agent")
    approval = agent.hold()
    answers: list[httpx.Response] = []

    def poll() -> None:
        answers.append(agent.get(f"/v1/approvals/{approval}?wait=20"))

    waiting = threading.Thread(target=poll)
    waiting.start()
    time.sleep(0.3)
    assert answers == []
    revoke(state, "shop-agent")
    waiting.join(15)
    assert [(answer.status_code, error(answer)) for answer in answers] == [(401, "unauthorized")]


@pytest.mark.parametrize("wait", ["61", "-1", "x"])
def test_a_wait_that_is_not_one(who: Who, wait: str) -> None:
    agent = who("shop-agent")
    answer = agent.get(f"/v1/approvals/{agent.hold()}?wait={wait}")
    assert (answer.status_code, error(answer)) == (422, "invalid_query")


@pytest.mark.parametrize(("proxies", "client"), [(("127.0.0.1",), "192.0.2.7"), ((), "127.0.0.1")])
def test_a_decision_is_from_the_client_of_a_trusted_proxy(
    client_of: Callable[..., InProcess],
    artifact: Path,
    state: Path,
    proxies: tuple[str, ...],
    client: str,
) -> None:
    secrets = make_keys(sqlite_url(state))
    app = client_of(artifact, state=state, console_proxies=proxies)
    agent, dana = (As(app.request, secrets[name]) for name in ("shop-agent", "dana"))
    approve = f"/v1/approvals/{agent.hold()}/approve"
    decided = dana.post(approve, {}, **{"X-Forwarded-For": "198.51.100.1, 192.0.2.7"}).json()
    assert decided["decided_from"] == client
