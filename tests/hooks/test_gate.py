"""The gate as an agent runs it: a process that must answer whatever it is given."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import agent_payloads as agents
import pytest
from builders import clause, plan_data, rule
from gates import ALLOW, command, decision, denial, event, run, write_gate

from policyc.engine import dialects
from policyc.hooks import gate as script

READ_ONLY = 0o555


RULES = [
    rule("deny", tools=["shell.exec"], label="no rm", clauses=[clause("$.command", "contains", "rm -rf")]),
    rule("deny", tools=["fs.read"], label="no secrets", clauses=[clause("$.path", "contains", "secret")]),
    rule("pending_approval", tools=["fs.delete"], label="ask first"),
]


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    return write_gate(tmp_path_factory.mktemp("gate"), plan_data(RULES))


def test_it_decides(gate):
    assert decision(run(gate, event(path="/workspace/notes"))) == ALLOW
    reason = denial(run(gate, event("code_execution", code="cd / && rm -rf x", language="bash")))
    assert 'rule "no rm" of policy "p"' in reason
    assert "server handler" in denial(run(gate, event("delete_file", path="x")))


MALFORMED = {
    "empty": b"",
    "blank": b" \n",
    "no JSON": b"rm -rf /",
    "cut": event()[:-3],
    "two documents": event() * 2,
    "a list": b"[]",
    "null": b"null",
    "100,000 deep": b'{"tool_call":' + b"[" * 100_000,
    "deep and closed": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "NaN": b'{"tool_call": {"name": "read_file", "args": {"path": "x", "n": NaN}}}',
    "a huge number": b'{"tool_call": {"name": "x", "args": {"n": ' + b"9" * 5_000 + b"}}}",
    "duplicate keys": b'{"tool_call": {"name": "read_file", "args": {"path": "x", "path": "secret"}}}',
    "UTF-16": event().decode().encode("utf-16"),
    "not UTF-8": b'{"tool_call": {"name": "\xff", "args": {}}}',
    "NUL bytes": b"\0" * 100,
    "no name": b'{"tool_call": {"args": {}}}',
    "args of a list": b'{"tool_call": {"name": "read_file", "args": []}}',
    "no path": event(),
    "two paths": event(path="x", file_path="secret"),
    "a tool_call of text": b'{"tool_call": "read_file"}',
}


@pytest.mark.parametrize("payload", MALFORMED.values(), ids=MALFORMED)
def test_what_cannot_be_read_is_denied(gate, payload):
    assert denial(run(gate, payload))


def test_a_byte_order_mark_is_stripped(gate):
    assert decision(run(gate, b"\xef\xbb\xbf" + event(path="x"))) == ALLOW
    assert "no secrets" in denial(run(gate, b"\xef\xbb\xbf" + event(path="secret")))


@pytest.mark.parametrize("path", ["\ud800secret", "a\0secret", "\u202esecret\x1b[31m"], ids=ascii)
def test_odd_characters_are_decided_on(gate, path):
    assert "no secrets" in denial(run(gate, event(path=path)))


def test_a_payload_beyond_the_bound_is_denied_and_read_to_the_end(gate):
    assert decision(run(gate, event(path="x", pad="y" * (script.MAX_EVENT - 500)))) == ALLOW
    assert "may have" in denial(run(gate, event(path="x", pad="y" * (100 << 20))))


def started(gate, *options, **changes):
    pipe = subprocess.PIPE
    return subprocess.Popen(command(gate, *options, **changes), stdin=pipe, stdout=pipe, stderr=pipe)


def finished(process):
    out, err = process.stdout.read(), process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    process.stdin.close()
    return subprocess.CompletedProcess([], process.wait(), out, err)


def test_an_input_that_never_ends_is_denied_at_its_own_deadline(gate):
    process = started(gate, "--deadline", "0.2")
    process.stdin.write(event(path="x"))
    process.stdin.flush()
    assert "within 0.2 s" in denial(finished(process))


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_told_to_stop_it_denies(gate, name):
    process = started(gate)
    while not _waits_for(process.pid, getattr(signal, name)):
        time.sleep(0.01)
    process.send_signal(getattr(signal, name))
    assert "told to stop" in denial(finished(process))


def _waits_for(pid, number):
    with open(f"/proc/{pid}/status") as file:
        [mask] = [line.split()[1] for line in file if line.startswith("SigBlk:")]
    return int(mask, 16) >> (number - 1) & 1


def test_a_closed_input_is_denied(gate):
    closed = ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *command(gate)]
    assert "OSError" in denial(subprocess.run(closed, capture_output=True, check=False))


CLAUDE_DENIED = json.dumps(agents.claude("Bash", {"command": "rm -rf x"})).encode()


@pytest.mark.parametrize("target", ["managed", "claude-code", "gemini-cli", "copilot", "kiro"])
@pytest.mark.parametrize("output", ["&-", "/dev/full"])
def test_an_answer_that_cannot_be_written_is_exit_code_2(gate, target, output):
    # An exit code of 0 without an answer lets the call run; 2 stops it everywhere but at the managed agent.
    unwritable = ["/bin/sh", "-c", f'exec "$@" >{output}', "sh", *command(gate, target=target)]
    for payload in (b"", event(path="secret"), CLAUDE_DENIED):
        process = subprocess.run(unwritable, input=payload, capture_output=True, check=False, timeout=60)
        assert process.returncode == 2


@pytest.mark.parametrize("deadline", ["-1", "nan", "inf", "soon"])
def test_a_deadline_that_never_comes_is_a_fault(gate, deadline):
    assert "policy gate failed" in denial(run(gate, event(path="x"), "--deadline", deadline))


def test_a_closed_error_output_changes_no_exit_code(gate):
    closed = ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *command(gate)]
    process = subprocess.run(closed, input=event(path="secret"), capture_output=True, check=False)
    assert "no secrets" in denial(process)


def test_a_reader_that_is_gone_is_no_crash(gate):
    process = started(gate, target="claude-code")
    process.stdout.close()
    process.stdin.close()
    assert process.wait() == 2
    assert b"policy gate" in process.stderr.read()
    process.stderr.close()


def test_a_deleted_folder_and_no_environment_are_no_obstacle(gate, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    away = ["/bin/sh", "-c", 'cd "$1" && rmdir "$1" && shift && exec "$@"', "sh", gone, *command(gate)]
    process = subprocess.run(away, input=event(path="secret"), capture_output=True, env={}, check=False)
    assert "no secrets" in denial(process)


def test_nothing_needs_to_be_writable(tmp_path):
    gate = write_gate(tmp_path, plan_data(RULES))
    for folder in [tmp_path, *(path for path in tmp_path.rglob("*") if path.is_dir())]:
        folder.chmod(READ_ONLY)
    try:
        # Root may write anyway; without bytecode the same is read only for it too.
        process = run(gate, event(path="secret"), env={"HOME": "/nonexistent"})
        assert "no secrets" in denial(process)
    finally:
        for folder in [tmp_path, *(path for path in tmp_path.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)


def test_little_memory_is_no_crash(gate):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (48 << 20, 48 << 20))

    process = run(gate, event(path="x", pad="y" * (7 << 20)), preexec_fn=limit)
    assert decision(process)


def test_without_threads_it_denies(gate):
    if os.getuid() == 0:
        pytest.skip("root may start any number of threads")

    def limit():
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))

    assert decision(run(gate, event(path="x"), preexec_fn=limit))["decision"] == "deny"


def test_prints_and_warnings_of_modules_are_no_answer(tmp_path):
    gate = write_gate(tmp_path, plan_data(RULES))
    noisy = tmp_path / "policyc/engine/walk.py"
    noise = "\nimport sys, warnings\nprint('{}')\nsys.stdout and sys.stdout.write('{}')\nwarnings.warn('x')\n"
    noisy.write_text(noisy.read_text("utf-8") + noise, "utf-8")
    process = run(gate, event(path="x"))
    assert decision(process) == ALLOW
    assert process.stderr == b""


def test_the_payload_says_whose_it_is(gate):
    claude = {
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_use_id": "t",
        "tool_name": "Read",
        "tool_input": {"file_path": "/x/secret"},
    }
    process = run(gate, json.dumps(claude).encode())
    found = json.loads(process.stdout)["hookSpecificOutput"]
    assert (found["permissionDecision"], process.returncode) == ("deny", 0)
    assert denial(run(gate, event(path="secret"), target="claude-code"))


def test_after_a_call_there_is_nothing_to_say(gate):
    assert json.loads(run(gate, event(path="secret"), "--event", "post").stdout) == {}
    assert json.loads(run(gate, b"", "--event", "post").stdout) == {}


@pytest.mark.parametrize("target", dialects.MODULES)
def test_every_agent_gets_the_refusal_that_it_honours(gate, target):
    process = run(gate, b"", target=target)
    expected = dialects.load(target).refusal("x")
    assert process.returncode == expected.exit_code
    assert bool(process.stdout) is bool(expected.stdout)
    assert bool(process.stderr) is bool(expected.stderr)


@pytest.mark.parametrize("target", dialects.MODULES)
def test_the_scripts_own_refusals_are_those_of_the_dialects(tmp_path, target):
    alone = tmp_path / "gate.py"
    alone.write_bytes(Path(script.__file__).read_bytes())
    process = run(alone, event(path="x"), target=target)
    expected = dialects.load(target).refusal("x")
    assert process.returncode == expected.exit_code
    if expected.stdout:
        reason = next(iter(_texts(json.loads(process.stdout)) - _texts(json.loads(expected.stdout))))
        assert "ModuleNotFoundError" in reason
        assert process.stdout.decode() == dialects.load(target).refusal(reason).stdout
    else:
        assert process.stdout == b""
        assert b"ModuleNotFoundError" in process.stderr


def _texts(document):
    nested = [_texts(value) for value in document.values() if isinstance(value, dict)]
    return {value for value in document.values() if isinstance(value, str)}.union(*nested)


@pytest.mark.parametrize("options", [[], ["--target"], ["--target", "emacs"], ["--deadline", "x"]], ids=str)
def test_a_lost_command_line_denies_in_every_way_there_is(gate, options):
    process = subprocess.run(
        [sys.executable, "-I", "-S", gate, *options], input=b"{}", capture_output=True, check=False
    )
    assert process.returncode == 2
    assert process.stderr
    assert not process.stdout or json.loads(process.stdout)["decision"] == "deny"
