"""Public reports of hooks that did not hold, as they come out under this runtime.

Each was reported for another agent; what went wrong is the same here, and lets the call run here too. The
trace names it, which is what ``--strict`` is for.
"""

import shlex
import sys

import pytest
from hooks.runtime.driving import DENY, command, hooked, payload, python, run, says

GUARD = f"printf %s '{DENY}'"
CASES = [
    ("C07 killed at its timeout", command(f"sleep 300; {GUARD}", timeout=1), "timeout"),
    ("C08 crash", python("import json; json.loads('')"), "exit_nonzero"),
    ("C08 timeout", command(f"{GUARD}; sleep 300", timeout=1), "timeout"),
    ("C08 output that cannot be parsed", says("{decision: deny}"), "answer_not_json"),
    ("C14 a shell profile that prints", command(f"echo Welcome; {GUARD}"), "answer_not_json"),
    ("C14 two documents", command(f"{GUARD}; {GUARD}"), "answer_not_json"),
    ("C15 an interpreter that is a stub", command("PATH=stub:$PATH; python3 gate.py"), "exit_nonzero"),
    ("C16 a path that lost its backslashes", command(r"C:\repo\hooks\guard.exe"), "exit_nonzero"),
    ("C17 a script that only defines things", python("def hook(event): print('deny')"), "answer_empty"),
    ("exit code 2 is no deny here", command(f"{GUARD}; echo blocked >&2; exit 2"), "exit_nonzero"),
    (
        "another agent's document",
        says('{"hookSpecificOutput":{"permissionDecision":"deny"}}'),
        "answer_unrecognised",
    ),
]


@pytest.mark.parametrize(("_case", "handler", "cause"), CASES, ids=[case for case, *_ in CASES])
def test_it_lets_the_call_run_and_is_named(_case, handler, cause, tmp_path):
    stub = tmp_path / "stub" / "python3"
    stub.parent.mkdir()
    stub.write_text("#!/bin/sh\nexit 49\n")
    stub.chmod(0o755)
    result = run(hooked(handler), cwd=tmp_path)
    assert (result.outcome, [one.cause for one in result.failures]) == ("allow", [cause])


def test_c12_each_handler_has_its_own_time():
    """Slow ones one after another do not use up the time of those behind them."""
    result = run(
        hooked(*[command(f"sleep 0.8; {GUARD.replace('deny', 'allow')}", timeout=2)] * 3, says(DENY))
    )
    assert (result.denied, result.failures) == (True, ())


def test_c13_one_denial_starts_no_further_process(tmp_path):
    run(hooked(says(DENY), *[command("touch started")] * 40), cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_c22_no_byte_order_mark_is_put_before_the_event():
    code = "import sys; sys.exit(0 if sys.stdin.buffer.read(1) == b'{' else 9)"
    [handled] = run(hooked(command(f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(code)}"))).trace
    assert handled.exit_code == 0


@pytest.mark.parametrize(
    "tool", ["mcp__plugin_linear_linear__create_issue", "linear_create_issue", "apply_patch"]
)
def test_c06_c10_c19_tools_that_no_event_is_sent_for(tool):
    """C06, C10, C19: a hook that would deny proves nothing where the agent never asks it."""
    result = run(hooked(says(DENY)), payload(tool))
    assert (result.tool_seen, result.holds) == (False, False)
