"""policyc test --mutate: what survives is shown with the test that would kill it, and ends the command."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = """\
tests:
  - {name: small, call: {tool: payment.pay, args: {amount_cents: 5}}, expect: {verdict: allow, rule: pay}}
  - {name: large, call: {tool: payment.pay, args: {amount_cents: 100001}}, expect: {verdict: deny, rule: cap}}
"""


@pytest.fixture
def tested(bundle: Path):
    (bundle.absolute() / "tests").mkdir()

    def write(text: str) -> Path:
        (bundle.absolute() / "tests" / "t.yaml").write_text(text)
        return bundle

    return write


def test_survivors_are_shown_as_tests_that_kill_them(policyc, tested):
    answer = policyc("test", tested(GOOD), "--mutate")
    assert answer.code == 1
    assert "clause $.amount_cents gt 100000 made gte 100000" in answer.out
    assert "allow becomes deny, and no test notices; this one would:" in answer.out
    assert "surviv" in answer.err
    pasted = [line[4:] for line in answer.out.splitlines() if line.startswith("    ")]
    entries = "".join(f"  {line}\n" for line in pasted)
    again = policyc("test", tested(GOOD + entries), "--mutate")
    assert (again.code, again.err) == (0, "")
    assert " 0 surviving" in again.out


def test_json_has_the_test_of_each_survivor(policyc, tested):
    answer = policyc("test", tested(GOOD), "--mutate", "--format", "json")
    (target,) = json.loads(answer.out)["targets"]
    found = target["mutation"]
    assert found["mutants"] == sum(found[key] for key in ("killed", "equivalent", "surviving", "unknown"))
    assert found["surviving"] == len(found["survivors"]) > 0
    survivor = found["survivors"][0]
    assert {"kind", "source", "rule", "change", "policy", "verdict", "mutant_verdict", "test"} <= set(
        survivor
    )
    path, _, line = survivor["source"].rpartition(":")
    assert Path(path).is_file()
    assert line.isdecimal()


def test_nothing_is_mutated_where_a_test_fails(policyc, tested):
    answer = policyc("test", tested(GOOD.replace("verdict: allow", "verdict: deny")), "--mutate")
    assert answer.code == 1
    assert "mutant" not in answer.out


@pytest.mark.usefixtures("policyc")
def test_a_person_at_a_terminal_sees_how_far_it_is(tested):
    target = tested(GOOD)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "policyc", "test", str(target), "--mutate"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:
            pass  # Linux says so when the other end is gone.
        process.wait()
    os.close(ours)
    assert b"mutants" in shown
