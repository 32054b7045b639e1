"""HTTP hooks: 200 whatever happens, and a deny whenever a pre event could not be checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from policyc_server.hook_events import POST, PRE

from server.in_process import InProcess


def event(name: str = "code_execution", **args: Any) -> dict[str, Any]:
    return {"tool_call": {"name": name, "args": args}, "environment_id": "env_1"}


DESTRUCTIVE = event(code="rm -rf /tmp/x", language="bash")


def test_a_call_that_may_run(client: InProcess) -> None:
    assert client.post(PRE, event(code="ls", language="bash")).json() == {"decision": "allow"}


def test_a_denied_call_names_the_tool_the_rule_and_the_place(client: InProcess) -> None:
    answer = client.post(PRE, DESTRUCTIVE)
    document = answer.json()
    assert (answer.status_code, document["decision"], len(document)) == (200, "deny", 2)
    for part in ("code_execution", "Destructive command.", "no destructive shell", "policies/agent.yaml:"):
        assert part in document["reason"]


def test_a_hold_is_denied(client: InProcess) -> None:
    document = client.post(PRE, event("deploy.start")).json()
    assert document["decision"] == "deny"
    assert "approval" in document["reason"]


def test_a_post_event_is_answered_with_nothing(client: InProcess) -> None:
    assert client.post(POST, {**DESTRUCTIVE, "error": "exit 1"}).json() == {}


BROKEN = {
    "empty": b"",
    "not JSON": b"rm -rf",
    "half": b'{"tool_call":',
    "duplicate key": b'{"tool_call":{"name":"a"},"tool_call":{"name":"b"}}',
    "NaN": b'{"tool_call":{"name":"a","args":{"n":NaN}}}',
    "no call": b"{}",
    "list": b"[]",
    "name of another type": b'{"tool_call":{"name":3}}',
    "args of another type": b'{"tool_call":{"name":"a","args":"x"}}',
    "another stage": b'{"tool":"shell.exec","args":{}}',
    "oversized": b'{"tool_call":{"name":"a","args":{"x":"' + b"x" * 1_100_000 + b'"}}}',
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_what_cannot_be_read_is_denied(client: InProcess, body: bytes) -> None:
    answer = client.post(PRE, content=body)
    assert (answer.status_code, answer.json()["decision"]) == (200, "deny")
    assert answer.json()["reason"]
    answer = client.post(POST, content=body)
    assert (answer.status_code, answer.json()) == (200, {})


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}])
def test_a_foreign_page_is_denied(client: InProcess, headers: dict[str, str]) -> None:
    answer = client.post(PRE, event(code="ls"), headers=headers)
    assert (answer.status_code, answer.json()["decision"]) == (200, "deny")


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}])
def test_who_does_not_know_the_token_is_denied(
    client_of: Callable[..., InProcess], artifact: Path, headers: dict[str, str]
) -> None:
    client = client_of(artifact, token="secret")
    answer = client.post(PRE, event(code="ls"), headers=headers)
    assert (answer.status_code, answer.json()["decision"]) == (200, "deny")
    assert client.post(POST, event(code="ls"), headers=headers).json() == {}
    known = client.post(PRE, event(code="ls"), headers={"authorization": "Bearer secret"})
    assert known.json() == {"decision": "allow"}


@pytest.mark.parametrize("path", ["/v1/hooks/pre_tool_executions", "/v1/hooks/", PRE + "/"])
def test_a_misspelt_event_is_denied(client: InProcess, path: str) -> None:
    answer = client.post(path, event(code="ls"))
    assert (answer.status_code, answer.json()["decision"]) == (200, "deny")


def test_without_a_policy_everything_is_denied(client_of: Callable[..., InProcess], tmp_path: Path) -> None:
    client = client_of(tmp_path / "missing.tar.gz")
    document = client.post(PRE, event(code="ls")).json()
    assert document["decision"] == "deny"
    assert "no policy" in document["reason"]
    assert client.post(POST, event(code="ls")).json() == {}


class BrokenSink:
    """A sink that breaks its promise never to raise."""

    def record(self, event: object) -> None:
        raise RuntimeError(event)

    def status(self) -> Any:
        raise NotImplementedError

    def close(self, timeout: float) -> None:
        pass


def test_a_fault_of_ours_is_denied(client_of: Callable[..., InProcess], artifact: Path) -> None:
    client = client_of(artifact, sink=BrokenSink())
    answer = client.post(PRE, event(code="ls"))
    assert (answer.status_code, answer.json()["decision"]) == (200, "deny")
    assert client.post(POST, event(code="ls")).json() == {}
    assert client.post("/v1/evaluate", {"tool": "x"}).json()["error"]["code"] == "internal_error"
