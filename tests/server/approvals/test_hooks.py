"""At a hook no token can travel: the approved call passes by being the same, once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import agent_payloads as agents
import pytest
from policyc_server.store.database import sqlite_url

from policyc.engine.dialects import load
from server.approvals.material import As, error, make_keys
from server.in_process import InProcess
from server.process import eventually

Who = Callable[[str], As]

HOLDS = """\
policy: agent
default_verdict: allow
rules:
  - priority: 1
    label: hold pushes
    tool_name_glob: shell.*
    args_match:
      clauses: [{path: $.command, op: contains, value: git push}]
    verdict: pending_approval
    reason: Pushes are seen by a person.
  - {priority: 2, label: hold drops, tool_name_glob: "*drop", verdict: pending_approval}
  - priority: 3
    label: hold plans
    tool_name_glob: fs.read
    args_match: {clauses: [{path: $.path, op: contains, value: /plans/}]}
    verdict: pending_approval
    approval: {approvers: [dana, erin]}
  - priority: 4
    label: hold books
    tool_name_glob: fs.read
    args_match: {clauses: [{path: $.path, op: contains, value: /books/}]}
    verdict: pending_approval
    approval: {approvers: [erin], ttl: 60}
  - priority: 5
    label: hold letters
    tool_name_glob: fs.read
    args_match: {clauses: [{path: $.path, op: contains, value: /letters/}]}
    verdict: pending_approval
    approval: {approvers: [frank]}
"""
PUSH = "git push origin main"


@pytest.fixture
def who(client_of: Callable[..., InProcess], state: Path, tmp_path: Path) -> Who:
    policy = tmp_path / "agent.yaml"
    policy.write_text(HOLDS)
    secrets = make_keys(sqlite_url(state))
    client = client_of(policy, state=state)
    return lambda name: As(client.request, secrets[name])


def managed(command: str = PUSH) -> dict[str, Any]:
    return {"tool_call": {"name": "code_execution", "args": {"code": command, "language": "bash"}}}


def claude(attempt: str, command: str = PUSH) -> dict[str, Any]:
    return agents.claude("Bash", {"command": command}) | {"tool_use_id": attempt}


def ask(who: Who, event: dict[str, Any], path: str = "pre_tool_execution") -> dict[str, Any]:
    answer = who("shop-agent").post(f"/v1/hooks/{path}", event)
    assert answer.status_code == 200
    document: dict[str, Any] = answer.json()
    return document


def approval_in(answer: object) -> str:
    found = re.search(r"approval ([0-9a-f-]{36})", json.dumps(answer))
    assert found is not None, answer
    return found[1]


def test_a_hook_denies_with_the_id_and_then_lets_the_same_call_through_once(who: Who) -> None:
    held = ask(who, managed())
    assert held["decision"] == "deny"
    approval = approval_in(held)
    assert "Pushes are seen by a person." in held["reason"]
    assert approval_in(ask(who, managed())) == approval
    who("dana").approve(approval)
    assert ask(who, managed(PUSH + " --force"))["decision"] == "deny"
    assert ask(who, managed()) == {"decision": "allow"}
    again = ask(who, managed())
    assert (again["decision"], approval_in(again) != approval) == ("deny", True)


def test_an_agent_that_runs_its_hook_twice_passes_both_times(who: Who) -> None:
    denied, allowed = load("claude-code").deny, "{}"
    approval = approval_in(ask(who, claude("toolu_1"), "claude-code"))
    who("dana").approve(approval)
    for attempt in ("toolu_2", "toolu_2"):
        assert ask(who, claude(attempt), "claude-code") == json.loads(allowed)
    held = ask(who, claude("toolu_3"), "claude-code")
    assert held["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert set(json.loads(denied("x").stdout)) == set(held)


def test_the_same_attempt_on_many_connections_is_one(who: Who) -> None:
    approval = approval_in(ask(who, claude("toolu_1"), "claude-code"))
    who("dana").approve(approval)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: ask(who, claude(f"toolu_{n % 2}"), "claude-code"), range(8)))
    passed = [number % 2 for number, answer in enumerate(answers) if answer == {}]
    assert len(set(passed)) == 1
    assert len(passed) == 4


def test_a_person_at_the_agent_does_not_stand_in_for_a_reviewer(
    who: Who, client_of: Callable[..., InProcess], tmp_path: Path
) -> None:
    held = ask(who, claude("toolu_1"), "claude-code")
    assert held["hookSpecificOutput"]["permissionDecision"] == "deny"
    without = client_of(tmp_path / "agent.yaml")
    asked = without.post("/v1/hooks/claude-code", claude("toolu_1")).json()
    assert asked["hookSpecificOutput"]["permissionDecision"] == "ask"


def test_a_no_reaches_the_agent(who: Who) -> None:
    approval = approval_in(ask(who, managed()))
    who("dana").deny(approval, "the release branch is frozen")
    answer = ask(who, managed())
    assert answer["decision"] == "deny"
    assert "the release branch is frozen" in answer["reason"]
    assert len(who("dana").get("/v1/approvals").json()["approvals"]) == 1


def test_a_long_reason_does_not_hide_the_id(
    client_of: Callable[..., InProcess], state: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "long.yaml"
    policy.write_text(HOLDS.replace("Pushes are seen by a person.", "why " * 5_000))
    secrets = make_keys(sqlite_url(state), "shop-agent", "dana")
    client = client_of(policy, state=state)
    held = As(client.request, secrets["shop-agent"]).post("/v1/hooks/pre_tool_execution", managed())
    (waiting,) = As(client.request, secrets["dana"]).get("/v1/approvals").json()["approvals"]
    assert approval_in(held.json()) == waiting["id"]


def test_an_event_says_that_it_was_held(who: Who) -> None:
    ask(who, managed())

    def kept() -> list[Any]:
        return list(who("dana").get("/v1/events").json()["events"])

    (event,) = eventually(kept)
    assert (event["verdict"], event["surface"]) == ("pending_approval", "pre_tool_execution")


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        pytest.param(
            agents.cursor("beforeShellExecution", command=PUSH, cwd="/w/site"),
            agents.cursor("beforeShellExecution", command=PUSH, cwd="/w/production"),
            id="folder",
        ),
        pytest.param(
            agents.cursor("beforeReadFile", file_path="/plans/a"),
            agents.cursor(
                "beforeReadFile",
                file_path="/plans/a",
                attachments=[{"type": "file", "file_path": "/plans/b"}],
            ),
            id="attachment",
        ),
        pytest.param(
            agents.cursor("beforeMCPExecution", tool_name="drop", tool_input="{}", mcp_server_name="scratch"),
            agents.cursor("beforeMCPExecution", tool_name="drop", tool_input="{}", mcp_server_name="books"),
            id="server",
        ),
    ],
)
def test_an_approval_is_for_all_that_the_event_says(
    who: Who, asked: dict[str, Any], other: dict[str, Any]
) -> None:
    approval = approval_in(ask(who, asked, "cursor"))
    who("dana").approve(approval)
    assert approval_in(ask(who, other, "cursor")) != approval
    assert ask(who, asked, "cursor") == {"permission": "allow"}


def test_reviewers_see_all_that_the_event_says(who: Who) -> None:
    attached = [{"type": "file", "file_path": "/plans/b"}]
    read = agents.cursor("beforeReadFile", file_path="/plans/a", attachments=attached)
    push = agents.cursor("beforeShellExecution", command=PUSH, cwd="/w/site")
    shown = [
        who("dana").get(f"/v1/approvals/{approval_in(ask(who, event, 'cursor'))}").json()["args"]
        for event in (read, push)
    ]
    assert shown[0] == {"file_path": "/plans/a", "attachments": attached}
    assert shown[1] == {"command": PUSH, "cwd": "/w/site"}


def reading(*paths: str) -> dict[str, Any]:
    """One event about several files."""
    first, *more = paths
    attached = [{"type": "file", "file_path": path} for path in more]
    return agents.cursor("beforeReadFile", file_path=first, attachments=attached)


def test_who_approves_is_an_approver_of_every_rule_that_holds_a_part_of_the_call(who: Who) -> None:
    event = reading("/plans/a", "/books/b")
    approval = approval_in(ask(who, event, "cursor"))
    shown = who("dana").get(f"/v1/approvals/{approval}").json()
    assert (shown["approvers"], shown["rule_changed"]) == (["erin"], False)
    assert list(shown["context"]["also_held_by"]) == ["hold books"]
    assert error(who("dana").approve(approval)) == "not_an_approver"
    assert ask(who, event, "cursor")["permission"] == "deny"
    assert who("erin").approve(approval).status_code == 200
    assert ask(who, event, "cursor") == {"permission": "allow"}


def test_parts_that_nobody_may_approve_together_are_denied_with_what_to_do(who: Who) -> None:
    answer = ask(who, reading("/plans/a", "/letters/b"), "cursor")
    assert answer["permission"] == "deny"
    assert "make each part a call of its own" in answer["user_message"]
    assert who("dana").get("/v1/approvals").json()["approvals"] == []
