"""What is answered about holds is what `/openapi.json` says."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from jsonschema import Draft202012Validator

from server.approvals.material import DEPLOY, As
from server.process import eventually
from server.test_openapi import schema_of

Who = Callable[[str], As]
ONE = "/v1/approvals/{approval}"


def check(answer: httpx.Response, path: str, method: str, status: int) -> None:
    assert answer.status_code == status
    Draft202012Validator(schema_of(path, method, status)).validate(answer.json())


def test_the_answers_of_a_whole_life(who: Who) -> None:
    agent, dana = who("shop-agent"), who("dana")
    held = agent.enforce(DEPLOY)
    check(held, "/v1/enforce", "post", 400)
    check(agent.post("/v1/evaluate", DEPLOY), "/v1/evaluate", "post", 200)
    approval = held.json()["error"]["metadata"]["approval_id"]
    for person in (agent, dana, who("root")):
        check(person.get(f"/v1/approvals/{approval}"), ONE, "get", 200)
    check(dana.get("/v1/approvals"), "/v1/approvals", "get", 200)
    check(who("insider").approve(approval), f"{ONE}/approve", "post", 403)
    check(dana.approve(approval, "yes"), f"{ONE}/approve", "post", 200)
    check(dana.deny(approval), f"{ONE}/deny", "post", 409)
    check(agent.get(f"/v1/approvals/{approval}"), ONE, "get", 200)
    check(agent.enforce(DEPLOY, agent.token(approval)), "/v1/enforce", "post", 200)
    for person in (agent, dana):
        check(person.get(f"/v1/approvals/{approval}"), ONE, "get", 200)
    check(who("root").get("/v1/status"), "/v1/status", "get", 200)


def test_metrics_count_by_state(who: Who) -> None:
    approval = who("shop-agent").hold()
    who("dana").deny(approval)
    eventually(lambda: 'policyc_approvals{state="denied"} 1.0' in who("root").get("/metrics").text)
    assert 'policyc_approvals{state="pending"} 0.0' in who("root").get("/metrics").text
    assert "policyc_approvals_failing 0.0" in who("root").get("/metrics").text
