"""What people write in their own pytest, run by a real one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from policyc.testing import policy
from testing.on_disk import write

PROJECT = """\
from policyc.testing import policy

guard = policy("b")


def test_the_cap():
    guard.assert_denied(tool="payment.pay", args={"amount_cents": 100001}, by="cap")


def test_small_payments():
    outcome = guard.assert_allowed(tool="payment.pay", args={"amount_cents": 5}, by="pay")
    assert outcome.verdict == "allow"


def test_deploys_wait_for_a_person():
    run = guard.run()
    run.assert_held(tool="deploy.x")
    run.approve()
    run.assert_allowed(tool="deploy.x")
    run.assert_held(tool="deploy.x")
    run.deny()
    run.assert_denied(tool="deploy.x", by="hold")
    run.wait("2m")
    run.assert_held(tool="deploy.x")


def test_that_fails():
    guard.assert_denied(tool="payment.pay", args={"amount_cents": 5}, by="cap")
"""
EMPTY = "tests: [{name: a, call: {tool: a}, expect: deny}]\n"


def test_a_project_uses_them_and_reads_why_one_fails(tmp_path: Path) -> None:
    write(tmp_path, EMPTY)
    (tmp_path / "test_policy.py").write_text(PROJECT)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        ".",
        "-q",
        "test_policy.py",
    ]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "1 failed, 3 passed" in found.stdout
    shown = re.findall(r"^E +(.*)$", found.stdout, re.MULTILINE)
    assert shown == [
        'AssertionError: expected deny by rule "cap"; allowed (allow) by rule "pay" of policy "p" '
        '(policies/p.yaml:12): rule "pay" says allow',
        'call: {"tool": "payment.pay", "args": {"amount_cents": 5}}',
        'matched  10  "pay"  policies/p.yaml:12',
        'near miss  "cap"  policies/p.yaml:3',
        "$.amount_cents gt 100000: saw 5",
    ]
    # The line of the test, not one of the library.
    assert re.search(r"test_policy\.py:\d+: AssertionError", found.stdout)
    assert "assertions.py" not in found.stdout


def test_pytest_is_not_needed(tmp_path: Path) -> None:
    write(tmp_path, EMPTY)
    code = """\
import sys
sys.modules["pytest"] = sys.modules["_pytest"] = None
from policyc.testing import policy
policy("b").assert_denied(tool="crm.get", by=None)
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_what_is_asserted_must_hold(tmp_path: Path) -> None:
    guard = policy(write(tmp_path, EMPTY))
    pay = {"tool": "payment.pay", "args": {"amount_cents": 5}}
    for wrong in (
        lambda: guard.assert_denied(**pay),
        lambda: guard.assert_held(**pay),
        lambda: guard.assert_allowed(by="cap", **pay),
        lambda: guard.assert_allowed(by=None, **pay),
        lambda: guard.assert_allowed(tool="deploy.x"),
        lambda: guard.run().approve(),
    ):
        with pytest.raises(AssertionError):
            wrong()


def test_each_call_is_on_its_own_run_and_those_of_a_run_are_not(tmp_path: Path) -> None:
    rate = "rules: [{priority: 1, label: r, verdict: deny, rate: {max: 1, window_seconds: 60, per: run}}]\n"
    guard = policy(write(tmp_path, EMPTY, rate))
    for _ in range(3):
        guard.assert_allowed(tool="a")
    run = guard.run()
    run.assert_allowed(tool="a")
    run.assert_denied(tool="a", by="r")
    run.wait("60s")
    run.assert_allowed(tool="a")


def test_payloads_and_policies_by_name(tmp_path: Path) -> None:
    target = write(
        tmp_path, EMPTY, q="- {priority: 1, label: no shell, tool_name_glob: shell.exec, verdict: deny}\n"
    )
    payload = {"tool_call": {"name": "code_execution", "args": {"code": "ls", "language": "bash"}}}
    policy(target, name="q").assert_denied(payload=payload, by="no shell")
    with pytest.raises(ValueError, match="no policy 'x'"):
        policy(target, name="x")
    with pytest.raises(TypeError, match="stage"):
        policy(target).decide(payload=payload, stage="mcp")
    with pytest.raises(ValueError, match="no span"):
        policy(target).run().wait("soon")
