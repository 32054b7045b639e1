"""Who may decide and read which hold, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from policyc_server.store.database import sqlite_url

from server.approvals.material import DEPLOY, As, error, make_keys, reason
from server.in_process import InProcess
from server.material import POLICY

Who = Callable[[str], As]


@pytest.mark.parametrize("name", ["shop-agent", "other-agent", "root"])
def test_only_reviewers_decide(who: Who, name: str) -> None:
    approval = who("shop-agent").hold()
    for answer in (who(name).approve(approval), who(name).deny(approval)):
        assert (answer.status_code, error(answer)) == (403, "forbidden")
    assert who("shop-agent").get(f"/v1/approvals/{approval}").json()["state"] == "pending"


def test_without_keys_nobody_decides_also_on_loopback(
    client_of: Callable[..., InProcess], artifact: Path, state: Path
) -> None:
    client = client_of(artifact, state=state)
    answer = client.post("/v1/approvals/x/approve", {})
    assert (answer.status_code, error(answer)) == (403, "reviewer_required")
    assert client.get("/v1/approvals").json() == {"approvals": [], "next": None}


@pytest.mark.parametrize("path", ["/v1/approvals/callback", "/v1/approvals/x", "/v1/approvals/x/y/callback"])
def test_only_a_callback_comes_without_a_key(
    client_of: Callable[..., InProcess], artifact: Path, path: str
) -> None:
    client = client_of(artifact, token="secret")
    assert client.get(path).status_code == 401
    assert client.post(path, {}).status_code == 401
    assert client.get("/v1/approvals/x/callback").status_code == 404  # without a store there is none


def test_nobody_decides_for_their_own_agent(who: Who) -> None:
    approval = who("shop-agent").hold()
    for answer in (who("insider").approve(approval), who("insider").deny(approval)):
        assert (answer.status_code, error(answer)) == (403, "own_agent")
    elsewhere = who("other-agent").hold()
    assert who("insider").approve(elsewhere).status_code == 200


@pytest.mark.parametrize(("first", "second"), [("approve", "deny"), ("deny", "approve"), ("deny", "deny")])
def test_the_second_answer_is_told_what_stands(who: Who, first: str, second: str) -> None:
    approval = who("shop-agent").hold()
    assert getattr(who("dana"), first)(approval, "first").status_code == 200
    late = getattr(who("erin"), second)(approval, "second")
    assert (late.status_code, error(late)) == (409, "approval_decided")
    decided = late.json()["error"]["metadata"]
    past = {"approve": "approved", "deny": "denied"}[first]
    assert (decided["decision"], decided["by"], decided["comment"]) == (past, "dana", "first")
    assert past in late.json()["error"]["message"]
    assert "dana" in late.json()["error"]["message"]


def test_of_many_answers_one_stands(who: Who) -> None:
    approval = who("shop-agent").hold()

    def answer(number: int) -> int:
        person = who(("dana", "erin")[number % 2])
        return (person.approve if number % 3 else person.deny)(approval).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(answer, range(8)))
    assert statuses == [200, *[409] * 7]
    log = who("dana").get(f"/v1/approvals/{approval}").json()["log"]
    assert [entry["action"] for entry in log] in (["opened", "approved"], ["opened", "denied"])


def test_who_when_from_where_and_why_is_kept(who: Who) -> None:
    agent, dana = who("shop-agent"), who("dana")
    approval = agent.hold()
    dana.approve(approval, "checked with ops")
    agent.enforce(DEPLOY, agent.token(approval))
    shown = dana.get(f"/v1/approvals/{approval}").json()
    assert (shown["decided_by"], shown["decided_from"], shown["comment"]) == (
        "dana",
        "127.0.0.1",
        "checked with ops",
    )
    assert [(entry["action"], entry["by"], entry["from"], entry["why"]) for entry in shown["log"]] == [
        ("opened", "shop", None, None),
        ("approved", "dana", "127.0.0.1", "checked with ops"),
        ("consumed", None, None, None),
    ]
    assert shown["decided_at"] == shown["log"][1]["at"]


def test_arguments_are_whole_for_reviewers_until_it_is_decided(
    client_of: Callable[..., InProcess], state: Path, tmp_path: Path
) -> None:
    long = "x" * 2_000
    call = {"tool": "deploy.release", "args": {"notes": long}, "cwd": "/srv/shop"}
    policy = tmp_path / "agent.yaml"
    policy.write_text(POLICY.format(cap=1))
    secrets = make_keys(sqlite_url(state))
    client = client_of(policy, state=state)
    agent, dana, root = (As(client.request, secrets[name]) for name in ("shop-agent", "dana", "root"))
    approval = agent.hold(call)

    def shown(person: As) -> dict[str, Any]:
        document: dict[str, Any] = person.get(f"/v1/approvals/{approval}").json()
        return document

    assert (shown(dana)["args"], shown(dana)["args_masked"]) == ({"notes": long}, False)
    assert shown(dana)["context"] == {"cwd": "/srv/shop"}
    assert shown(root)["args_masked"] is True
    assert dana.get("/v1/approvals").json()["approvals"][0]["args"] == {"notes": long}
    dana.deny(approval)
    assert shown(dana)["args_masked"] is True
    assert long not in str(shown(dana))


def test_agents_see_their_own_and_no_queue(who: Who) -> None:
    approval = who("shop-agent").hold()
    hidden = who("other-agent").get(f"/v1/approvals/{approval}")
    assert (hidden.status_code, error(hidden)) == (404, "not_found")
    assert who("shop-agent").get("/v1/approvals").status_code == 403
    who("dana").approve(approval)
    for name in ("dana", "root", "insider"):
        assert "token" not in who(name).get(f"/v1/approvals/{approval}").json()
    answer = who("shop-agent").get(f"/v1/approvals/{approval}")
    assert answer.json()["token"]
    assert answer.headers["cache-control"] == "no-store"


def test_the_queue_has_states_and_pages(who: Who) -> None:
    agent, dana = who("shop-agent"), who("dana")
    opened = [agent.hold(DEPLOY | {"args": {"n": number}}) for number in range(3)]
    dana.deny(opened[0])
    pending = dana.get("/v1/approvals?state=pending").json()["approvals"]
    assert [each["id"] for each in pending] == [opened[2], opened[1]]
    first = dana.get("/v1/approvals?limit=2").json()
    second = dana.get(f"/v1/approvals?limit=2&before={first['next']}").json()
    assert [each["id"] for page in (first, second) for each in page["approvals"]] == opened[::-1]
    assert error(dana.get("/v1/approvals?state=open")) == "invalid_query"


@pytest.mark.parametrize("body", [[], {"why": "x"}, {"comment": 1}, {"comment": "x" * 2001}])
def test_a_decision_that_cannot_be_read_decides_nothing(who: Who, body: object) -> None:
    approval = who("shop-agent").hold()
    answer = who("dana").post(f"/v1/approvals/{approval}/approve", body)
    assert (answer.status_code, error(answer)) == (422, "invalid_decision")
    assert who("dana").get(f"/v1/approvals/{approval}").json()["state"] == "pending"


def test_there_is_no_such_approval(who: Who) -> None:
    assert error(who("dana").approve("nothing")) == "not_found"
    assert who("dana").get("/v1/approvals/%00").status_code == 404


def test_an_approval_never_goes_past_a_deny(who: Who) -> None:
    agent = who("shop-agent")
    approval = agent.hold()
    who("dana").approve(approval)
    token = agent.token(approval)
    who("root").post("/v1/lockdown", {"on": True})
    assert reason(agent.enforce(DEPLOY, token)) == "lockdown"
    who("root").post("/v1/lockdown", {"on": False})
    assert agent.enforce(DEPLOY, token).status_code == 200
