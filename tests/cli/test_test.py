"""policyc test: what it prints, and what it ends with."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from policyc.source.schema import schema_text

GOOD = """\
tests:
  - {name: small, call: {tool: payment.pay, args: {amount_cents: 5}}, expect: {verdict: allow, rule: pay}}
  - {name: large, call: {tool: payment.pay, args: {amount_cents: 100001}}, expect: {verdict: deny, rule: cap}}
"""
BAD = """\
tests:
  - name: tables
    call: {tool: payment.pay}
    expect: {verdict: deny, rule: caps}
    table:
      - {args: {amount_cents: 100001}}
      - {args: {amount_cents: 5}}
"""


@pytest.fixture
def tested(bundle: Path):
    """Writes test files into the bundle: ``tested(good=GOOD)``."""
    (bundle.absolute() / "tests").mkdir()

    def write(**files: str) -> Path:
        for name, text in files.items():
            (bundle.absolute() / "tests" / f"{name}.yaml").write_text(text)
        return bundle

    return write


@pytest.fixture(autouse=True)
def _here(policyc):
    """Paths are below an empty folder."""


def test_all_pass(policyc, tested):
    answer = policyc("test", tested(good=GOOD))
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("2 passed in ")


def test_a_failure_is_shown_with_both_lines_and_the_trace(policyc, tested):
    answer = policyc("test", tested(bad=BAD, good=GOOD))
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert lines[:4] == [
        "pay/tests/bad.yaml:6: FAILED tables [1]",
        '  rule: expected "caps", got "cap"',
        "    no rule has this label; did you mean `cap`?",
        '  decided by rule "cap" (pay/policies/pay.yaml:3): Too much.',
    ]
    assert "pay/tests/bad.yaml:7: FAILED tables [2]" in lines
    assert '    near miss  "cap"  policies/pay.yaml:3' in lines
    assert "        $.amount_cents gt 100000: saw 5" in lines
    assert lines[-1].startswith("2 failed, 2 passed in ")
    assert answer.err == "pay: 2 tests of 4 failed\n"


def test_many_failures_are_one_line_each_after_the_first(policyc, tested):
    rows = "      - {args: {amount_cents: 1}}\n" * 100
    out = policyc("test", tested(bad=BAD.partition("      - ")[0] + rows)).out
    assert out.count("FAILED") == 100
    assert out.count("decided by") == 20


def test_json_says_all_of_it(policyc, tested):
    answer = policyc("test", tested(bad=BAD), "--format", "json", "--coverage")
    assert (answer.code, answer.json["ok"]) == (1, False)
    (target,) = answer.json["targets"]
    assert (target["target"], target["tests"], target["failed"], target["diagnostics"]) == ("pay", 2, 2, [])
    second = target["results"][1]
    assert (second["path"], second["line"], second["name"], second["row"]) == (
        "pay/tests/bad.yaml",
        7,
        "tables",
        2,
    )
    failure = second["failure"]
    assert failure["differences"] == [
        {"key": "verdict", "expected": "deny", "got": "allow"},
        {"key": "rule", "expected": "caps", "got": "pay"},
    ]
    assert failure["call"] == {"tool": "payment.pay", "args": {"amount_cents": 5}}
    assert failure["decision"]["source"] == "pay/policies/pay.yaml:11"
    assert [entry["rule"] for entry in failure["explain"]] == ["cap", "pay"]
    missed = target["coverage"]["missed"]
    assert {(miss["rule"], miss["condition"], miss["outcome"]) for miss in missed} == {
        ("pay", "rule", False),
        ("hold", "rule", True),
        ("hold", "rule", False),
    }
    assert {miss["path"] for miss in missed} == {"pay/policies/pay.yaml"}


def test_junit_is_what_ci_reads(policyc, tested):
    bad = BAD.replace("tables", '"a <b> & \\"c\\""')
    root = ElementTree.fromstring(policyc("test", tested(bad=bad, good=GOOD), "--format", "junit").out)
    assert root.tag == "testsuites"
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "2", "0")
    first, second = root
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root] == [
        ("pay/tests/bad.yaml", "2", "2"),
        ("pay/tests/good.yaml", "2", "0"),
    ]
    assert [case.get("name") for case in first] == ['a <b> & "c" [1]', 'a <b> & "c" [2]']
    assert {case.get("classname") for case in second} == {"pay/tests/good.yaml"}
    failure = first[1].find("failure")
    assert failure is not None
    assert failure.get("message") == 'verdict: expected "deny", got "allow"'
    assert "$.amount_cents gt 100000: saw 5" in (failure.text or "")
    assert all(float(case.get("time", "-1")) >= 0 for suite in root for case in suite)


@pytest.mark.parametrize(
    "options", [["-k", "nothing like it"], ["--policy", "other"], ["pay/policies/pay.yaml"]]
)
def test_no_test_is_a_failure(policyc, tested, options):
    target = tested(good=GOOD)
    chosen = options if options[0].startswith("-") else []
    answer = policyc("test", *([target, *chosen] if chosen else options))
    assert answer.code == 1
    assert "error[no_tests]" in answer.err
    as_json = policyc("test", *([target, *chosen] if chosen else options), "--format", "json")
    assert (as_json.code, as_json.json["ok"]) == (1, False)


def test_paths_and_words_choose(policyc, tested):
    target = tested(good=GOOD, bad=BAD)
    assert policyc("test", target / "tests" / "good.yaml").code == 0
    assert policyc("test", target, "-k", "SMALL").out.startswith("1 passed")
    assert policyc("test", target, "-k", "bad.yaml").out.splitlines()[-1].startswith("2 failed, 0 passed")


def test_tests_may_stand_elsewhere_and_the_target_may_be_signed(policyc, signed, tmp_path):
    (tmp_path / "mine.yaml").write_text(BAD)
    answer = policyc("test", signed, "--tests", "mine.yaml", "--verify-key", "release.pub.pem")
    assert answer.code == 1
    assert answer.out.startswith("mine.yaml:6: FAILED tables [1]\n")
    (tmp_path / "mine.yaml").write_text(GOOD)
    assert policyc("test", signed, "--tests", "mine.yaml", "--verify-key", "release.pub.pem").code == 0


def test_a_lone_policy_and_its_tests(policyc, bundle, tmp_path):
    policy = (bundle / "policies" / "pay.yaml").read_text()
    (tmp_path / "lone.yaml").write_text(policy)
    (tmp_path / "lone.test.yaml").write_text(BAD)
    for path in ("lone.yaml", "lone.test.yaml"):
        answer = policyc("test", path)
        assert answer.code == 1
        assert answer.out.startswith("lone.test.yaml:6: FAILED tables [1]\n")
        assert "(lone.yaml:3): Too much." in answer.out


def test_coverage_names_what_was_not_seen_and_may_be_too_little(policyc, tested):
    target = tested(good=GOOD)
    answer = policyc("test", target, "--coverage")
    assert answer.code == 0
    assert answer.out.splitlines()[:5] == [
        '  policy "pay": 62.5 %',
        '  pay/policies/pay.yaml:11: rule "pay" is never passed over',
        '  pay/policies/pay.yaml:12: rule "hold" never matches',
        '  pay/policies/pay.yaml:12: rule "hold" is never passed over',
        "pay: coverage 62.5 %",
    ]
    assert policyc("test", target, "--min", "62.5").code == 0
    below = policyc("test", target, "--min", "63")
    assert (below.code, below.err) == (1, "pay: coverage 62.5 % is below 63 %\n")


def test_tests_that_are_wrong_are_not_run(policyc, tested):
    answer = policyc("test", tested(good=GOOD, wrong="tests:\n  - {name: a, expekt: deny}\n"))
    assert answer.code == 1
    assert "pay/tests/wrong.yaml:2:15: error[unknown_key]: unknown key `expekt`\n" in answer.out
    assert "help: did you mean `expect`?" in answer.out
    assert "none was run" in answer.err


def test_a_target_that_cannot_be_read_is_exit_2(policyc, tested):
    tested(good=GOOD)
    assert policyc("test", "nowhere").code == 2
    assert "there is no test file tests/none.yaml" in policyc("test", "pay/tests/none.yaml").err
    assert policyc("test", tested(good=GOOD), "--tests", "nowhere.yaml").code == 2
    assert policyc("test").code == 2


def test_a_policy_with_errors_is_exit_1_and_says_them(policyc, tested):
    target = tested(good=GOOD)
    (target / "policies" / "pay.yaml").write_text("- {priority: 1, verdict: denied}\n")
    answer = policyc("test", target)
    assert answer.code == 1
    assert "error[unknown_verdict]" in answer.err


def test_a_failing_example_of_a_rule_fails_the_tests(policyc, tested):
    target = tested(good=GOOD)
    (target / "policies" / "pay.yaml").write_text(
        "- {priority: 1, tool_name_glob: a, verdict: deny, examples: {match: [{tool: b}]}}\n"
    )
    assert "error[failed_example]" in policyc("test", target).err


def test_the_schema_is_printed_and_takes_what_is_taken(policyc):
    schema = policyc("schema", "test").json
    assert schema == json.loads(schema_text("test"))
    jsonschema.Draft202012Validator.check_schema(schema)


def policyc_process(*arguments: object, **options) -> subprocess.Popen:
    command = [sys.executable, "-m", "policyc", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def _wait_for(words: str, lines: list[str], stream) -> None:
    while words not in "".join(lines):
        line = stream.readline()
        assert line, lines
        lines.append(line)


@pytest.mark.slow
def test_watching_runs_again_after_a_change_until_it_is_interrupted(tested, tmp_path):
    target = tested(good=GOOD)
    process = policyc_process("test", target, "--watch", cwd=tmp_path)
    said: list[str] = []
    _wait_for("watching", said, process.stderr)
    assert process.stdout.readline().startswith("2 passed")
    (target / "tests" / "good.yaml").write_text(BAD)
    shown: list[str] = []
    _wait_for("2 failed, 0 passed", shown, process.stdout)
    # Also where the policy cannot be compiled for a while, and by a file that is replaced.
    _wait_for("watching", said := [], process.stderr)
    (target / "policies" / "new").write_text("- {")
    os.replace(target / "policies" / "new", target / "policies" / "pay.yaml")
    _wait_for("syntax_error", said, process.stderr)
    _wait_for("watching", said := [], process.stderr)
    (target / "policies" / "pay.yaml").write_text("- {priority: 1, label: caps, verdict: deny}\n")
    _wait_for("2 passed", shown := [], process.stdout)
    _wait_for("watching", said := [], process.stderr)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    process.communicate()


@pytest.mark.slow
def test_watching_that_is_interrupted_ends_with_the_last_answer(tested, tmp_path):
    process = policyc_process("test", tested(bad=BAD), "--watch", cwd=tmp_path)
    _wait_for("watching", [], process.stderr)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 1
    process.communicate()


@pytest.mark.slow
def test_a_kill_leaves_no_process_behind(tested, tmp_path):
    rows = "".join(f"      - {{args: {{amount_cents: {n}}}}}\n" for n in range(20_000))
    text = f"tests:\n  - name: many\n    call: {{tool: payment.pay}}\n    expect: allow\n    table:\n{rows}"
    process = policyc_process("test", tested(many=text), "--jobs", "4", cwd=tmp_path)
    children: set[str] = set()
    file = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not file.parent.exists():
        process.kill()
        process.communicate()
        pytest.skip("this system does not say which processes are whose")
    while process.poll() is None and len(children) < 4:
        children = set(file.read_text().split())
    process.kill()
    process.communicate()
    assert len(children) == 4
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_a_person_who_waits_sees_a_bar_and_a_pipe_does_not(tested, tmp_path):
    rows = "".join(f"      - {{args: {{amount_cents: {n}}}}}\n" for n in range(600))
    text = f"tests:\n  - name: many\n    call: {{tool: payment.pay}}\n    expect: allow\n    table:\n{rows}"
    target = tested(many=text)
    command = [sys.executable, "-m", "policyc", "test", str(target)]
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm"}
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    out, _ = process.communicate()
    assert out.startswith("600 passed")
    assert b"tests" in shown
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert piped.stderr == ""
