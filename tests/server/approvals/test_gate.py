"""The gate asks the server: an approved call passes once, budgets count, and no answer is a deny."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import agent_payloads as agents
import gates
import pytest
from policyc_server.store.database import sqlite_url

from policyc.building import compile_path
from policyc.hooks.generate import generate_hooks
from policyc.hooks.runtime import Network, Sandbox, load_hooks, run_event
from server.approvals.material import As, make_keys
from server.process import ServerProcess, eventually

pytestmark = pytest.mark.slow


POLICY = """\
policy: agent
default_verdict: allow
rules:
  - priority: 1
    label: no removal
    tool_name_glob: shell.*
    args_match: {clauses: [{path: $.command, op: contains, value: rm -rf}]}
    verdict: deny
  - priority: 2
    label: hold pushes
    tool_name_glob: shell.*
    args_match: {clauses: [{path: $.command, op: contains, value: git push}]}
    verdict: pending_approval
  - priority: 3
    label: few deletions
    tool_name_glob: fs.delete
    rate: {max: 2, window_seconds: 86400, per: agent}
    verdict: deny
    reason: Too many deletions.
  - priority: 4
    label: nothing of etc
    tool_name_glob: fs.delete
    args_match: {clauses: [{path: $.path, op: contains, value: /etc}]}
    verdict: deny
"""
PUSH = gates.event("code_execution", code="git push", language="bash")
READ = gates.event(path="x")
DELETE = gates.event("delete_file", path="x")
ASKED_ABOUT = 4
NOT_ASKED = "the policy server could not be asked"


class Asking:
    """A gate of the policy; ``url`` is what it asks where nothing else is said."""

    def __init__(self, script: Path, url: str = "", key: str = "") -> None:
        self._script = script
        self._url = url
        self._key = key

    def at(self, url: str, key: str = "") -> Asking:
        return Asking(self._script, url, key)

    def run(self, event: bytes, deadline: str = "20", target: str = "managed") -> Any:
        path = "pre_tool_execution" if target == "managed" else target
        ask = ["--deadline", deadline, "--ask", f"{self._url}/v1/hooks/{path}"]
        env = {"POLICYC_KEY": self._key} if self._key else {}
        return gates.run(self._script, event, *ask, target=target, env=env)

    def allows(self, event: bytes, deadline: str = "20") -> bool:
        return bool(gates.decision(self.run(event, deadline)) == gates.ALLOW)

    def denial(self, event: bytes, deadline: str = "20") -> str:
        return str(gates.denial(self.run(event, deadline)))


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "agent.yaml"
    path.write_text(POLICY)
    return path


@pytest.fixture
def gate(policy: Path, tmp_path: Path) -> Asking:
    folder = tmp_path / "gate"
    folder.mkdir()
    return Asking(gates.write_gate(folder, compile_path(policy).data))


@pytest.fixture
def served(
    serve: Callable[..., ServerProcess], policy: Path, state: Path
) -> tuple[ServerProcess, dict[str, str]]:
    secrets = make_keys(sqlite_url(state))
    return serve(policy, "--state", state).ready(), secrets


def test_an_approved_call_passes_once(gate: Asking, served: tuple[ServerProcess, dict[str, str]]) -> None:
    server, secrets = served
    gate = gate.at(server.url, secrets["shop-agent"])
    said = gate.denial(PUSH)
    found = re.search(r"held for approval (\S+):", said)
    assert found, said
    assert found[1] in gate.denial(PUSH)
    assert As(server.client.request, secrets["dana"]).approve(found[1]).status_code == 200
    assert gate.allows(PUSH)
    again = gate.denial(PUSH)
    assert "held for approval" in again
    assert found[1] not in again


def test_the_server_counts_and_hears_of_what_is_allowed(
    gate: Asking, served: tuple[ServerProcess, dict[str, str]]
) -> None:
    server, secrets = served
    gate = gate.at(server.url, secrets["shop-agent"])
    assert gate.allows(DELETE)
    assert "nothing of etc" in gate.denial(gates.event("delete_file", path="/etc/x"))
    assert gate.allows(DELETE)
    assert "Too many deletions. (call 3" in gate.denial(DELETE)
    assert gate.allows(READ)
    root = As(server.client.request, secrets["root"])

    def tools() -> list[str]:
        return sorted(event["tool"] for event in root.get("/v1/events").json()["events"])

    # What the gate denies for certain is not asked about.
    eventually(lambda: len(tools()) >= ASKED_ABOUT)
    assert tools() == ["delete_file", "delete_file", "delete_file", "read_file"]


def test_another_agents_words(gate: Asking, served: tuple[ServerProcess, dict[str, str]]) -> None:
    server, secrets = served
    gate = gate.at(server.url, secrets["shop-agent"])

    def claude(command: str) -> bytes:
        return json.dumps(agents.claude("Bash", {"command": command})).encode()

    held = gate.run(claude("git push"), target="claude-code")
    assert (held.returncode, b'"deny"' in held.stdout, b"held for approval" in held.stdout) == (0, True, True)
    passed = gate.run(claude("ls"), target="claude-code")
    assert (passed.returncode, passed.stdout, passed.stderr) == (0, b"", b"")


def test_a_generated_hooks_json_under_the_runtime(
    served: tuple[ServerProcess, dict[str, str]], tmp_path: Path, policy: Path
) -> None:
    """To the letter but for the server's URL, the root of the sandbox and the interpreter."""
    server, secrets = served
    root = tmp_path / "sandbox"
    asked = {"matcher": None, "handler": "server", "timeout": 10}
    data = {**compile_path(policy).data, "server": {"url": "https://policy.example.com"}}
    data["hooks"] = [{"name": "g", "enabled": None, "pre_tool_execution": [asked]}]
    for path, text in generate_hooks(data).files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    hooks = root / ".agents/hooks.json"
    text = hooks.read_text().replace("https://policy.example.com", server.url)
    hooks.write_text(text.replace("python3 -I -S /", f"{sys.executable} -I -S {root}/"))

    def run(event: bytes) -> Any:
        sandbox = Sandbox(Network(()), root, {**os.environ, "POLICYC_KEY": secrets["shop-agent"]})
        return asyncio.run(run_event(load_hooks(hooks), "pre_tool_execution", json.loads(event), sandbox))

    held = run(PUSH)
    [one] = held.trace
    assert (held.denied, one.type, one.cause) == (True, "command", None)
    found = re.search(r"held for approval (\S+):", held.reason)
    assert found
    assert As(server.client.request, secrets["dana"]).approve(found[1]).status_code == 200
    assert [run(PUSH).denied, run(PUSH).denied, run(READ).denied] == [False, True, False]


@contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[tuple[str, list[str]]]:
    """A server with one answer; the URL and the paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", paths
        finally:
            server.shutdown()
            thread.join()


ALLOW = b'{"decision": "allow"}'
GARBAGE = {
    "no JSON": (200, b"allow"),
    "empty": (200, b""),
    "what is said after a call": (200, b"{}"),
    "another agent's allow": (200, b'{"permission": "allow"}'),
    "an allow with more": (200, b'{"decision": "allow", "reason": "x"}'),
    "two answers": (200, ALLOW * 2),
    "a list": (200, b"[]"),
    "an allow that failed": (500, ALLOW),
    "an allow that is not 200": (201, ALLOW),
}


@pytest.mark.parametrize(("status", "body"), GARBAGE.values(), ids=GARBAGE)
def test_what_is_no_answer_lets_nothing_through(gate: Asking, status: int, body: bytes) -> None:
    with answering(status, body) as (url, paths):
        assert NOT_ASKED in gate.at(url).denial(PUSH)
        assert paths


def test_one_answer_stands(gate: Asking) -> None:
    with answering(200, ALLOW) as (url, paths):
        assert gate.at(url).allows(PUSH)
        assert "no removal" in gate.at(url).denial(gates.event("code_execution", code="rm -rf /"))
        assert len(paths) == 1
    with answering(200, b'{"decision": "deny", "reason": "locked down"}') as (url, _):
        assert gate.at(url).denial(READ) == "locked down"


def test_a_redirect_is_not_followed(gate: Asking) -> None:
    with answering(200, ALLOW) as (target, paths), answering(307, b"", location=target) as (url, _):
        assert NOT_ASKED in gate.at(url).denial(PUSH)
        assert paths == []


def test_a_dead_server(gate: Asking) -> None:
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        gate = gate.at(f"http://127.0.0.1:{dead.getsockname()[1]}")
        assert NOT_ASKED in gate.denial(PUSH)
        assert NOT_ASKED in gate.denial(DELETE)
        assert "nothing of etc" in gate.denial(gates.event("delete_file", path="/etc/x"))
        assert gate.allows(READ)


def test_a_server_that_hangs(gate: Asking) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        gate = gate.at(f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert NOT_ASKED in gate.denial(PUSH, "5")
        assert gate.allows(READ, "5")


@pytest.mark.parametrize("url", ["http://192.0.2.1", "file:///etc", "nonsense"])
def test_only_https_leaves_the_machine(gate: Asking, url: str) -> None:
    assert "its URL is not https" in gate.at(url).denial(PUSH)
    assert gate.at(url).allows(READ)


@pytest.mark.parametrize("target", ["windsurf", "kiro"])
def test_an_agent_that_takes_no_document_hears_no_allow(gate: Asking, target: str) -> None:
    payload = json.dumps(_SILENT[target]).encode()
    with answering(200, b"{}") as (url, _):
        assert gate.at(url).run(payload, target=target).returncode == 2


_SILENT = {
    "windsurf": {
        "agent_action_name": "pre_run_command",
        "tool_info": {"command_line": "git push", "cwd": "/w"},
    },
    "kiro": {
        "hook_event_name": "preToolUse",
        "cwd": "/w",
        "tool_name": "execute_bash",
        "tool_input": {"command": "git push"},
    },
}
