"""`/v1/evaluate` and `/v1/enforce`."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from policyc_server.blocks import close_hold

from policyc.engine.calls import read_call
from policyc.engine.decision import decision_document
from policyc.loading import load_target
from server.in_process import InProcess
from server.material import PAYMENT

LARGE = {"tool": "payment.transfer", "args": {"amount_cents": 250000}, "agent": "a"}
HOOK = {"tool_call": {"name": "code_execution", "args": {"code": "rm -rf /", "language": "bash"}}}
DEPLOY = {"tool": "deploy.start", "args": {}}


@pytest.mark.parametrize("call", [PAYMENT, LARGE, HOOK, DEPLOY, {"tool": "x"}])
def test_evaluate_answers_what_the_engine_decides(client: InProcess, artifact: Path, call: object) -> None:
    loaded = load_target(artifact)
    read = read_call(call)
    answer = client.post("/v1/evaluate", call)
    document = answer.json()
    assert answer.status_code == 200
    assert document == decision_document(
        close_hold(loaded.evaluator.decide(read), "pending_approval"),
        read,
        decision_id=document["decision_id"],
        revision=loaded.revision,
    )
    assert uuid.UUID(document["decision_id"]).version == 4


def test_a_list_is_answered_in_order(client: InProcess) -> None:
    answers = client.post("/v1/evaluate", [PAYMENT, LARGE, DEPLOY]).json()
    assert [answer["verdict"] for answer in answers] == ["allow", "deny", "pending_approval"]
    assert len({answer["decision_id"] for answer in answers}) == 3
    assert client.post("/v1/evaluate", []).json() == []


def test_a_decision_is_explained_on_request(client: InProcess) -> None:
    answer = client.post("/v1/evaluate?explain=1", PAYMENT).json()
    assert answer["verdict"] == "allow"
    near = next(step for step in answer["explain"] if step["rule"] == "cap payment amount")
    assert near["near_miss"]["rank"] == 1
    assert near["near_miss"]["unmet"][0]["clause"]["op"] == "gt"
    both = client.post("/v1/evaluate?explain=1", [PAYMENT, LARGE]).json()
    assert all(one["explain"][-1]["matched"] for one in both)
    assert "explain" not in client.post("/v1/evaluate?explain=0", PAYMENT).json()


@pytest.mark.parametrize("query", ["explain", "explain=yes", "explain=1&explain=1", "explian=1"])
def test_a_query_that_is_not_understood_is_refused(client: InProcess, query: str) -> None:
    answer = client.post(f"/v1/evaluate?{query}", PAYMENT)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_query")


def test_a_hold_that_nobody_can_release_says_so(client: InProcess) -> None:
    answer = client.post("/v1/evaluate", DEPLOY).json()
    assert (answer["verdict"], answer["allowed"]) == ("pending_approval", False)
    assert answer["reason_code"] == "approval_unavailable"


def test_integers_beyond_64_bits_come_back_exactly(client: InProcess) -> None:
    args = {"amount_cents": 10**30}
    answer = client.post("/v1/evaluate", {"tool": "audit.note", "args": args})
    assert answer.json()["args"] == args


def test_enforce_lets_pass_with_the_decision(client: InProcess) -> None:
    answer = client.post("/v1/enforce", PAYMENT)
    assert (answer.status_code, answer.json()["verdict"]) == (200, "allow")


def test_enforce_blocks_as_designed(client: InProcess) -> None:
    answer = client.post("/v1/enforce", LARGE)
    document = answer.json()
    metadata = document["error"].pop("metadata")
    message = document["error"].pop("message")
    assert answer.status_code == 400
    assert answer.headers["x-should-retry"] == "false"
    assert document == {
        "error": {"code": "firewall_blocked", "type": "invalid_request_error", "skip_retry": True}
    }
    assert uuid.UUID(metadata.pop("decision_id"))
    assert metadata.pop("revision") == client.status()["policy"]["revision"]
    assert metadata == {
        "rule": "cap payment amount",
        "policy": "agent",
        "reason_code": "payment_cap",
        "risk_factors": ["money", "irreversible"],
    }
    for part in ("payment.transfer", "need a person", "cap payment amount", "policies/agent.yaml:4", "ask"):
        assert part in message


def test_a_hold_without_approvals_is_blocked(client: InProcess) -> None:
    answer = client.post("/v1/enforce", DEPLOY)
    assert answer.status_code == 400
    assert answer.json()["error"]["metadata"]["reason_code"] == "approval_unavailable"
    assert answer.json()["error"]["metadata"]["rule"] == "hold deploys"


def test_a_very_long_name_is_cut_in_the_message(client: InProcess) -> None:
    message = client.post("/v1/enforce", {**LARGE, "tool": "payment." + "x" * 5000}).json()["error"][
        "message"
    ]
    assert len(message) < 1000


@pytest.mark.parametrize("path", ["/v1/evaluate", "/v1/enforce"])
@pytest.mark.parametrize(
    ("body", "status", "code", "where"),
    [
        (b"", 400, "empty", None),
        (b"{", 400, "invalid_json", None),
        (b'{"tool": NaN}', 400, "not_a_number", None),
        (b'{"tool":"a","tool":"b"}', 400, "duplicate_key", None),
        (b'{"tool":"a","args":{"n":' + b"9" * 4301 + b"}}", 400, "number_out_of_range", None),
        (b'{"tool":"a","args":' + b"[" * 200 + b"]" * 200 + b"}", 400, "too_deep", None),
        (b'"\xff"', 400, "not_utf8", None),
        (b"3", 422, "invalid_call", "$"),
        (b"{}", 422, "invalid_call", "$.tool"),
        (b'{"tool":3}', 422, "invalid_call", "$.tool"),
        (b'{"tool":"a","args":[]}', 422, "invalid_call", "$.args"),
        (b'{"tool":"a","stage":"x"}', 422, "invalid_call", "$.stage"),
        (b'{"tool":"a","arguments":{}}', 422, "invalid_call", "$.arguments"),
        (b'{"tool_call":{"name":1}}', 422, "invalid_call", "$.tool_call.name"),
        (b"x" * 1_048_577, 413, "body_too_large", None),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_refusals(
    client: InProcess, path: str, body: bytes, status: int, code: str, where: str | None
) -> None:
    answer = client.post(path, content=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error.get("path")) == (status, code, where)
    assert error["type"] == "invalid_request_error"
    assert error["message"]


def test_a_wrong_call_in_a_list_is_named(client: InProcess) -> None:
    error = client.post("/v1/evaluate", [PAYMENT, {"tool": 3}]).json()["error"]
    assert error["path"] == "$[1].tool"
    assert "$[1].tool" in error["message"]


def test_a_list_is_bounded(client_of: Callable[..., InProcess], artifact: Path) -> None:
    client = client_of(artifact, call_limit=2)
    assert client.post("/v1/evaluate", [PAYMENT] * 2).status_code == 200
    answer = client.post("/v1/evaluate", [PAYMENT] * 3)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "too_many_calls")


def test_enforce_takes_no_list(client: InProcess) -> None:
    assert client.post("/v1/enforce", [PAYMENT]).status_code == 422
