"""The examples of the managed agent's documentation, with the outcome that it states for each."""

import asyncio
import json
import shlex
import sys
from pathlib import Path

import pytest
from hooks.runtime.driving import POST, PRE, payload
from hooks.runtime.https_server import PublicWire, Server

from policyc.hooks.runtime import Sandbox, ToolResult, read_hooks, read_network, run_event, run_tool

SEEDS = Path(__file__).parents[1] / "seed"
SCRIPTS = Path(__file__).parent / "seed_scripts"


def seed(name):
    """The document, with the scripts where this checkout has them and the interpreter of this run."""
    text = (SEEDS / f"{name}.json").read_text("utf-8")
    command = f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(SCRIPTS))}"
    return read_hooks(json.loads(text.replace("python3 /.agents/hooks-scripts", command)))


def ran(hooks, call, tmp_path, event=PRE):
    result = asyncio.run(run_event(hooks, event, call, Sandbox(cwd=tmp_path)))
    assert result.holds
    return result


@pytest.mark.parametrize("name", ["gate", "auto-format"])
def test_the_gate_denies_the_destructive_command(name, tmp_path):
    call = payload(code="rm -rf /tmp/forbidden", language="bash")
    result = ran(seed(name), call, tmp_path)
    assert (result.outcome, result.reason) == ("deny", "Destructive command blocked by security gate.")
    assert ran(seed(name), payload(code="ls", language="bash"), tmp_path).outcome == "allow"


def test_the_gate_does_not_look_at_other_tools(tmp_path):
    result = ran(seed("gate"), payload("write_file", path="x", content="rm -rf /"), tmp_path)
    assert (result.outcome, [one.matched for one in result.trace]) == ("allow", [False])


def test_the_gate_of_the_documentation_misses_another_spelling(tmp_path):
    """Public case C57: why a policy that understands commands is compiled instead."""
    assert (
        ran(seed("gate"), payload(code="rm -fr /workspace/x", language="bash"), tmp_path).outcome == "allow"
    )


def test_the_linter_hears_of_every_tool_after_it_ran(tmp_path):
    async def tool(name, _args):
        return ToolResult(stderr="warning: x\n") if name == "code_execution" else ToolResult()

    calls = [payload(code="python3 /workspace/app.py", language="bash"), payload("write_file", path="a")]
    for call in calls:
        outcome = asyncio.run(run_tool(seed("auto-format"), call, tool, Sandbox(cwd=tmp_path)))
        assert outcome.after.holds
    lines = [json.loads(line) for line in (tmp_path / "linted").read_text().splitlines()]
    assert lines == [{**calls[0], "error": "warning: x\n"}, calls[1]]


def test_privacy_recovers_over_two_turns(tmp_path):
    private = payload("read_file", path="/workspace/private/employees.json")
    first = ran(seed("privacy"), private, tmp_path)
    assert first.outcome == "deny"
    assert "Query approved `/public/` summary tables instead." in first.reason
    public = payload("read_file", path="/workspace/public/summary.json")
    assert ran(seed("privacy"), public, tmp_path).outcome == "allow"


def test_the_audit_is_streamed_with_the_token_of_the_proxy():
    server = Server()
    try:
        server.says("/api/v1/agent-events", "", status=204)
        token = "Bearer telemetry_secret_token_123"
        allowlist = [
            {"domain": "telemetry.example.com", "transform": {"Authorization": token}},
            {"domain": "*"},
        ]
        sandbox = Sandbox(read_network({"allowlist": allowlist}, {}), wire=PublicWire(server).wire)
        calls = [
            payload("write_file", path="/workspace/audit.log", content="event 1"),
            payload("read_file", path="/workspace/audit.log"),
            payload("list_files", path="/workspace"),
        ]
        results = [asyncio.run(run_event(seed("audit"), POST, call, sandbox)) for call in calls]
    finally:
        server.close()
    assert [result.outcome for result in results] == ["allow"] * 3
    assert [[one.matched for one in result.trace] for result in results] == [[True], [True], [False]]
    assert [json.loads(body) for _, _, body in server.requests] == calls[:2]
    assert {headers["authorization"] for _, headers, _ in server.requests} == {token}
    assert "telemetry_secret" not in json.dumps([result.document() for result in results])
