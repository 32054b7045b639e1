"""Tools that a request offers: judged by name and owner before upstream hears of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.gateway.running import (
    Gateway,
    RawUpstream,
    answer,
    call,
    chat_request,
    completion,
    open_gateway,
    write_policy,
)

Before = Callable[..., Gateway]


def hosted(kind: str, **more: Any) -> dict[str, Any]:
    """A request to Anthropic that offers a tool which the vendor runs."""
    tool = {"type": kind, **more}
    return {
        "model": "claude",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "go"}],
        "tools": [tool],
    }


def test_a_denied_tool_is_a_400_that_nobody_retries_and_upstream_never_hears(before: Before) -> None:
    upstream = RawUpstream()
    found = before(upstream).chat("crm.get", "shell.exec")
    assert (found.status_code, found.headers["x-should-retry"]) == (400, "false")
    error = found.json()["error"]
    assert (error["code"], error["type"], error["skip_retry"]) == (
        "firewall_blocked",
        "invalid_request_error",
        True,
    )
    metadata = error["metadata"]
    assert (metadata["rule"], metadata["policy"], metadata["reason_code"]) == (
        "no shell",
        "agent",
        "no_shell",
    )
    assert (metadata["risk_factors"], metadata["tools"]) == (["destructive"], ["shell.exec"])
    assert 'tool "shell.exec" blocked by firewall: No shells here.' in error["message"]
    assert upstream.requests == []


def test_a_denied_tool_can_be_taken_out_instead(before: Before) -> None:
    upstream = RawUpstream(answer(completion("ok")))
    gateway = before(upstream, upstream={"on_denied_tool": "strip"})
    choice = {"type": "function", "function": {"name": "shell.exec"}}
    found = gateway.chat("crm.get", "shell.exec", more={"tool_choice": choice})
    assert (found.status_code, found.headers["x-policyc-stripped-tools"]) == (200, "shell.exec")
    assert upstream.documents() == [chat_request("crm.get")]


def test_where_every_tool_is_taken_out_none_is_spoken_of(before: Before) -> None:
    upstream = RawUpstream(answer(completion("ok")))
    gateway = before(upstream, upstream={"on_denied_tool": "strip"})
    gateway.chat("shell.exec", more={"tool_choice": "required", "parallel_tool_calls": False})
    assert upstream.documents() == [chat_request()]


def test_a_tool_that_was_taken_out_is_denied_when_it_is_called_all_the_same(before: Before) -> None:
    upstream = RawUpstream(answer(completion(None, call("shell.exec"))), answer(completion("No.")))
    gateway = before(upstream, upstream={"on_denied_tool": "strip"})
    assert gateway.chat("shell.exec").json()["choices"][0]["message"]["content"] == "No."
    assert "No shells here." in upstream.documents()[1]["messages"][-1]["content"]


@pytest.mark.parametrize("name", ["shell__exec", "Bash", "run_shell_command"])
def test_a_tool_is_known_by_every_name_it_has(before: Before, name: str) -> None:
    """APIs take no dots, and agents have names of their own for their shells."""
    assert before(RawUpstream()).chat(name).status_code == 400


def test_a_clause_on_arguments_denies_no_tool_that_was_only_offered(before: Before) -> None:
    assert before(RawUpstream(answer(completion("ok")))).chat("payment.pay").status_code == 200


def test_functions_of_old_requests_are_judged(before: Before) -> None:
    found = before(RawUpstream()).chat(more={"functions": [{"name": "shell.exec"}]})
    assert found.json()["error"]["code"] == "firewall_blocked"


@pytest.mark.parametrize(
    ("rule", "is_served"),
    [
        ("{priority: 1, tool_name_glob: web_search, stage: inbound, verdict: deny}", False),
        ("{priority: 1, tool_name_glob: web_search, stage: response, verdict: deny}", False),
        ("{priority: 1, tool_name_glob: web_search, stage: response, verdict: pending_approval}", False),
        (
            "{priority: 1, tool_name_glob: web_search, verdict: deny, "
            "args_match: {clauses: [{path: $.query, op: contains, value: secret}]}}",
            False,
        ),
        ("{priority: 1, tool_name_glob: web_fetch, verdict: deny}", True),
        (
            "{priority: 1, tool_name_glob: web_search, verdict: deny, rate: {max: 5, window_seconds: 60}}",
            True,
        ),
    ],
)
def test_a_tool_that_the_vendor_runs_has_to_be_fine_whatever_its_arguments(
    before: Before, tmp_path: Path, rule: str, is_served: bool
) -> None:
    bundle = write_policy(tmp_path, f"policy: p\ndefault_verdict: allow\nrules:\n  - {rule}\n")
    body = b'{"content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}'
    gateway = before(RawUpstream(answer(body)), kind="anthropic", bundle=bundle)
    found = gateway.post("/v1/messages", hosted("web_search_20250305", name="web_search"))
    assert found.status_code == (200 if is_served else 400)


def test_an_mcp_server_whose_tools_are_not_listed_is_refused(before: Before) -> None:
    gateway = before(RawUpstream(), kind="anthropic")
    found = gateway.post("/v1/messages", hosted("mcp_toolset", mcp_server_name="wiki"))
    assert found.status_code == 400
    assert found.json()["error"]["metadata"]["reason_code"] == "tool_unknown"
    assert "wiki.*" in found.json()["error"]["metadata"]["tools"]


def test_a_request_that_cannot_be_read_is_refused(before: Before) -> None:
    gateway = before(RawUpstream())
    path = "/gateway/up/v1/chat/completions"
    for body in (b"[]", b"{", b'{"tools": [], "tools": [{}]}', b'{"tools": {}}', b'{"tools": ["x"]}'):
        assert gateway.client.post(path, content=body).status_code == 400
    packed = gateway.client.post(path, content=b"x", headers={"content-encoding": "gzip"})
    assert packed.status_code == 415


def test_a_request_beyond_its_limit_is_a_413(before: Before) -> None:
    gateway = before(RawUpstream(answer(completion("ok"))), upstream={"request_limit": 2000})
    assert gateway.chat(more={"user": "x" * 2000}).status_code == 413
    assert gateway.chat().status_code == 200


def test_without_a_policy_nothing_is_offered_or_called(tmp_path: Path) -> None:
    gateway = open_gateway(tmp_path / "nothing.tar.gz", "http://127.0.0.1:9")
    try:
        found = gateway.chat("crm.get")
    finally:
        gateway.close()
    assert (found.status_code, found.json()["error"]["metadata"]["reason_code"]) == (400, "not_ready")


def test_shadow_blocks_nothing(before: Before, tmp_path: Path) -> None:
    rules = "rules: [{priority: 1, verdict: deny, tool_name_glob: 'crm.*'}]"
    bundle = write_policy(tmp_path, f"policy: p\nshadow: true\ndefault_verdict: allow\n{rules}\n")
    body = completion(None, call("crm.get", "{}"))
    assert before(RawUpstream(answer(body)), bundle=bundle).chat("crm.get").content == body


def test_in_a_lockdown_no_tool_is_offered(before: Before, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    gateway = before(RawUpstream(), state=state)
    assert gateway.client.post("/v1/lockdown", json={"on": True}).status_code == 200
    found = gateway.chat("crm.get")
    assert (found.status_code, found.json()["error"]["metadata"]["reason_code"]) == (400, "lockdown")
