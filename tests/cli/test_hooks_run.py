import json
import os
import signal
import subprocess
import sys
import time

import pytest
from hooks.runtime.processes_seen import Marker

PRE = "pre_tool_execution"
EVENT = json.dumps({"tool_call": {"name": "code_execution", "args": {"code": "ls"}}, "environment_id": "e"})
DENY = """printf %s '{"decision":"deny","reason":"Not\\u001b[31m here."}'"""
ALLOW = """printf %s '{"decision":"allow"}'"""


def config(*lines, event=PRE, timeout=30, matcher="*"):
    handlers = [{"type": "command", "command": line, "timeout": timeout} for line in lines]
    return json.dumps({"gate": {event: [{"matcher": matcher, "hooks": handlers}]}})


@pytest.fixture
def hooks(tmp_path):
    (tmp_path / ".agents").mkdir()
    return (tmp_path / ".agents" / "hooks.json").write_text


def test_allowed(policyc, hooks):
    hooks(config(ALLOW))
    answer = policyc("hooks", "run", "--event", PRE, stdin=EVENT)
    assert answer.code == 0
    first, handler = answer.out.splitlines()
    assert first == "allowed"
    assert handler.startswith("  $.gate.pre_tool_execution[0].hooks[0] command: exit 0, ")
    assert handler.endswith(" ms, allow")


def test_denied_is_exit_1_and_text_is_made_visible(policyc, hooks):
    hooks(config(DENY, ALLOW))
    answer = policyc("hooks", "run", "--event", PRE, stdin=EVENT)
    assert answer.code == 1
    first, _, skipped = answer.out.splitlines()
    assert first == "denied: Not\\u{1b}[31m here."
    assert skipped.endswith("not run (already_denied)")


def test_json(policyc, hooks):
    hooks(config("echo no\\ way >&2; exit 2"))
    answer = policyc("hooks", "run", "--event", PRE, "--format", "json", stdin=EVENT)
    assert (answer.code, answer.json["outcome"], answer.json["tool"]) == (0, "allow", "code_execution")
    [handled] = answer.json["trace"]
    assert (handled["cause"], handled["exit_code"], handled["stderr"]) == ("exit_nonzero", 2, "no way\n")


@pytest.mark.parametrize(
    ("line", "cause"), [("exit 2", "exit_nonzero"), ("echo hi", "answer_not_json"), ("true", "answer_empty")]
)
def test_strict_makes_a_failure_of_what_fails_open(policyc, hooks, line, cause):
    hooks(config(line, ALLOW))
    assert policyc("hooks", "run", "--event", PRE, stdin=EVENT).code == 0
    answer = policyc("hooks", "run", "--event", PRE, "--strict", stdin=EVENT)
    assert answer.code == 1
    assert f"[{cause}]" in answer.out
    assert "strict: 1 handler had no say" in answer.err


def test_strict_on_an_invalid_matcher_a_lost_event_and_a_tool_without_events(policyc, hooks):
    hooks(config(DENY, matcher="*_file"))
    assert policyc("hooks", "run", "--event", PRE, "--strict", stdin=EVENT).code == 1
    hooks(config("exit 1", event="post_tool_execution"))
    assert policyc("hooks", "run", "--event", "post_tool_execution", "--strict", stdin=EVENT).code == 1
    hooks(config(ALLOW))
    assert policyc("hooks", "run", "--event", PRE, "--strict", stdin=EVENT).code == 0
    answer = policyc("hooks", "run", "--event", PRE, "--strict", stdin=EVENT.replace("code_execution", "mcp"))
    assert answer.code == 1
    assert "no hook sees it" in answer.err


def test_a_config_that_is_named(policyc, hooks, tmp_path):
    hooks(config(ALLOW))
    (tmp_path / "other.json").write_text(config(DENY))
    assert policyc("hooks", "run", "--event", PRE, "--config", "other.json", stdin=EVENT).code == 1


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("{", "hooks_file_unreadable"),
        ("[]", "hooks_file_invalid"),
        (config(ALLOW, timeout=0), "hooks_file_invalid"),
    ],
)
def test_a_config_that_is_not_usable(policyc, hooks, content, code):
    hooks(content)
    answer = policyc("hooks", "run", "--event", PRE, stdin=EVENT)
    assert (answer.code, answer.out) == (2, "")
    assert f"error[{code}]" in answer.err
    answer = policyc("hooks", "run", "--event", PRE, "--format", "json", stdin=EVENT)
    assert (answer.code, answer.json["error"]["code"]) == (2, code)


def test_every_problem_of_a_config_is_shown(policyc, hooks):
    hooks('{"a": {"enabled": 1}, "b": {"PreToolUse": []}}')
    answer = policyc("hooks", "run", "--event", PRE, stdin=EVENT)
    assert "\n  $.a.enabled: " in answer.err
    assert "\n  $.b: " in answer.err


@pytest.mark.parametrize("stdin", ["", "x", "[]", "{}", '{"tool_call": {"name": 1}}', '{"a": 1, "a": 2}'])
def test_an_event_that_is_not_usable(policyc, hooks, stdin):
    hooks(config(ALLOW))
    answer = policyc("hooks", "run", "--event", PRE, stdin=stdin)
    assert answer.code == 2
    assert "error[event_invalid]" in answer.err


def test_used_wrongly(policyc, hooks):
    hooks(config(ALLOW))
    assert policyc("hooks", "run", stdin=EVENT).code == 2
    assert policyc("hooks", "run", "--event", "PreToolUse", stdin=EVENT).code == 2
    assert policyc("hooks", "run", "--event", PRE, "--network", "gone.json", stdin=EVENT).code == 2
    assert policyc("hooks", "run", "--event", PRE, "--config", "gone.json", stdin=EVENT).code == 2


def test_the_network_and_its_secrets(policyc, tmp_path, monkeypatch):
    handlers = [
        {"type": "command", "command": "env >&2; exit 1"},
        {"type": "http", "url": "https://localhost/x"},
        {"type": "http", "url": "https://127.0x1/x"},
        {"type": "http", "url": "https://off.test/x"},
    ]
    (tmp_path / "hooks.json").write_text(json.dumps({"g": {PRE: [{"matcher": "*", "hooks": handlers}]}}))
    entry = {"domain": "127.0x1", "transform": {"Authorization": "Bearer ${TELEMETRY}"}}
    (tmp_path / "network.json").write_text(json.dumps({"network": {"allowlist": [entry]}}))
    options = ("hooks", "run", "--config", "hooks.json", "--event", PRE, "--network", "network.json")
    answer = policyc(*options, stdin=EVENT)
    assert answer.code == 2
    assert "environment variable TELEMETRY" in answer.err
    monkeypatch.setenv("TELEMETRY", "hush-hush-123")
    for form in ("text", "json"):
        answer = policyc(*options, "--format", form, stdin=EVENT)
        assert answer.code == 0
        assert "hush" not in answer.out + answer.err
    causes = [handled["cause"] for handled in answer.json["trace"]]
    assert causes == ["exit_nonzero", "target_refused", "target_refused", "host_not_allowed"]


def test_a_run_that_is_terminated_leaves_no_process(hooks, tmp_path):
    marker = Marker()
    hooks(config("echo $$ > pid; sleep 300; true"))
    command = [sys.executable, "-W", "error", "-m", "policyc", "hooks", "run", "--event", PRE]
    env = {**os.environ, **marker.env}
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdin=subprocess.PIPE, text=True) as process:
        process.stdin.write(EVENT)
        process.stdin.close()
        path = tmp_path / "pid"
        while not (path.exists() and path.read_text()):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 128 + signal.SIGTERM
    assert marker.gone()
