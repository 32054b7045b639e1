"""HTTP hooks of agents other than the managed one: each in its own words, and 200 whatever happens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import agent_payloads as agents
import pytest
from policyc_server.hook_events import POST, PRE, PREFIX, TARGETS

from policyc.engine.dialects import MODULES, load
from policyc.engine.model import Call, Outcome
from server.in_process import InProcess

DESTRUCTIVE = "rm -rf /tmp/x"
SHELLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "agy": lambda command: agents.agy("run_command", {"CommandLine": command}),
    "claude-code": lambda command: agents.claude("Bash", {"command": command}),
    "codex": lambda command: agents.codex("Bash", {"command": command}),
    "gemini-cli": lambda command: agents.gemini("run_shell_command", {"command": command}),
    "copilot": lambda command: agents.copilot("bash", json.dumps({"command": command})),
    "cursor": lambda command: agents.cursor("beforeShellExecution", command=command, cwd="/w"),
    "qwen": lambda command: agents.qwen("run_shell_command", {"command": command}),
    "vscode": lambda command: agents.vscode("run_in_terminal", {"command": command}),
    "opencode": lambda command: agents.opencode("bash", {"command": command}),
    "cline": lambda command: agents.cline_sdk("run_commands", {"commands": ["ls", command]}),
}


def denies(target: str, document: Any) -> bool:
    """Whether the agent takes `document` for a deny with a reason: exactly the document it is made for."""
    reason = next((text for text in strings(document) if len(text) > 20), "")
    return bool(document == json.loads(load(target).deny(reason).stdout))


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for child in value.values() for text in strings(child)]
    return [value] if isinstance(value, str) else []


def test_every_agent_that_reads_a_document_has_a_route() -> None:
    assert set(TARGETS) == set(SHELLS)
    assert set(MODULES) - set(TARGETS) == {"managed", "windsurf", "kiro"}


@pytest.mark.parametrize("target", TARGETS)
def test_a_call_that_may_run_and_one_that_may_not(client: InProcess, target: str) -> None:
    allowed = client.post(PREFIX + target, SHELLS[target]("ls"))
    nothing = load(target).answer(ALLOW, "", Call("x")).stdout or "{}"
    assert (allowed.status_code, allowed.json()) == (200, json.loads(nothing))
    denied = client.post(PREFIX + target, SHELLS[target](DESTRUCTIVE))
    assert denied.status_code == 200
    assert denies(target, denied.json())
    assert "Destructive command." in denied.text


ALLOW = Outcome("allow", "", "x")

BROKEN = {
    "empty": b"",
    "not JSON": b"rm -rf",
    "list": b"[]",
    "nobody's": b"{}",
    "duplicate key": b'{"tool_name":"a","tool_name":"b","tool_input":{}}',
    "deep": b'{"tool_name":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "oversized": b'{"x":"' + b"x" * 1_100_000 + b'"}',
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_what_cannot_be_read_is_denied_in_the_words_of_the_route(
    client: InProcess, target: str, body: bytes
) -> None:
    answer = client.post(PREFIX + target, content=body)
    assert answer.status_code == 200
    assert denies(target, answer.json())


def done(target: str) -> Any:
    return json.loads(load(target).done().stdout or "{}")


UNREADABLE = {
    "claude-code": agents.claude("Bash", {}),
    "codex": agents.codex("apply_patch", {"command": 7}),
    "copilot": agents.copilot("bash", "{"),
    "cursor": agents.cursor("beforeMCPExecution", tool_name="t", tool_input="x", mcp_server_name="s"),
    "gemini-cli": agents.gemini("run_shell_command", {}),
}


@pytest.mark.parametrize("target", UNREADABLE)
def test_a_call_that_cannot_be_read_is_denied_and_says_where(client: InProcess, target: str) -> None:
    document = client.post(PREFIX + target, UNREADABLE[target]).json()
    assert denies(target, document)
    assert "$." in json.dumps(document)


@pytest.mark.parametrize("target", TARGETS)
def test_who_does_not_know_the_token_is_denied_in_the_words_of_the_route(
    client_of: Callable[..., InProcess], artifact: Path, target: str
) -> None:
    client = client_of(artifact, token="secret")
    answer = client.post(PREFIX + target, SHELLS[target]("ls"))
    assert answer.status_code == 200
    assert denies(target, answer.json())


@pytest.mark.parametrize("target", TARGETS)
def test_without_a_policy_everything_is_denied(
    client_of: Callable[..., InProcess], tmp_path: Path, target: str
) -> None:
    client = client_of(tmp_path / "missing.tar.gz")
    assert denies(target, client.post(PREFIX + target, SHELLS[target]("ls")).json())


POSTS = [(target, payload) for target, event, payload in agents.SAMPLES if event == "post"]


@pytest.mark.parametrize(("target", "payload"), [post for post in POSTS if post[0] in TARGETS])
def test_an_event_after_a_tool_is_logged_and_stops_nothing(
    client_of: Callable[..., InProcess], artifact: Path, tmp_path: Path, target: str, payload: dict[str, Any]
) -> None:
    log = tmp_path / "log"
    client = client_of(artifact, decisions_log=log)
    assert client.post(PREFIX + target, payload).json() == done(target)
    broken = {**payload, "tool_name": 7, "toolName": 7, "tool": 7, "command": 7, "file_path": 7}
    broken.pop("tool_call", None)
    assert client.post(PREFIX + target, broken).json() == done(target)
    client.app.close()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["event"], line["surface"]) for line in lines][:1] == [("completed", target)]


@pytest.mark.parametrize("path", [PRE, POST, PREFIX + "claude-code", PREFIX + "cline"])
@pytest.mark.parametrize("target", ["codex", "gemini-cli", "cursor", "copilot", "cline", "agy"])
def test_a_payload_that_clearly_is_anothers_is_answered_in_its_own_words(
    client: InProcess, path: str, target: str
) -> None:
    assert denies(target, client.post(path, SHELLS[target](DESTRUCTIVE)).json())


@pytest.mark.parametrize("target", TARGETS)
def test_a_misspelt_target_denies_in_the_words_of_the_payload(client: InProcess, target: str) -> None:
    document = client.post(PREFIX + target + "s", SHELLS[target]("ls")).json()
    assert denies(target, document)


@pytest.mark.parametrize("path", [PREFIX + "windsurf", PREFIX + "kiro", PREFIX + "managed", PREFIX + "x"])
def test_a_target_that_is_not_there_denies_in_every_agents_words(client: InProcess, path: str) -> None:
    answer = client.post(path, content=b"{")
    document = answer.json()
    assert answer.status_code == 200
    for target in TARGETS:
        reason = document["reason"]
        assert json.loads(load(target).deny(reason).stdout).items() <= document.items()


@pytest.mark.parametrize(
    "payload",
    [agents.windsurf("pre_run_command", command_line="ls"), agents.kiro("execute_bash", {"command": "ls"})],
)
def test_an_agent_that_only_reads_exit_codes_is_told_so(client: InProcess, payload: dict[str, Any]) -> None:
    document = client.post(PREFIX + "codex", payload).json()
    assert denies("codex", document)
    assert "use a command" in json.dumps(document)


@pytest.mark.parametrize("target", TARGETS)
def test_a_hold_is_asked_where_the_agent_can_ask(client: InProcess, target: str) -> None:
    payload = MCP.get(target, agents.claude("deploy.start", {}))
    document = client.post(PREFIX + target, payload).json()
    if "pending_approval" in load(target).carries:
        assert "ask" in json.dumps(document)
        assert "needs approval" in json.dumps(document)
    else:
        assert denies(target, document)
        assert "no approvals" in json.dumps(document)


MCP = {
    "agy": agents.agy("deploy.start", {}),
    "codex": agents.codex("deploy.start", {}),
    "gemini-cli": agents.gemini("deploy.start", {}),
    "copilot": agents.copilot("deploy.start", {}),
    "cursor": agents.cursor("preToolUse", tool_name="deploy.start", tool_input={}),
    "qwen": agents.qwen("deploy.start", {}),
    "vscode": agents.vscode("deploy.start", {}),
    "opencode": agents.opencode("deploy.start", {}),
    "cline": agents.cline_sdk("deploy.start", {}),
}


def test_a_get_is_refused_by_status(client: InProcess) -> None:
    assert client.get(PREFIX + "codex").status_code == 405
    assert client.get(PREFIX + "x").status_code == 404


def test_decisions_are_counted_by_target(client: InProcess) -> None:
    client.post(PREFIX + "codex", SHELLS["codex"](DESTRUCTIVE))
    metrics = client.get("/metrics").text
    assert 'policyc_decisions_total{surface="codex",verdict="deny"} 1.0' in metrics
