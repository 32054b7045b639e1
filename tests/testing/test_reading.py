"""Test files: what is taken, and what is said about the rest, where."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from policyc.source.tree import SourceError
from policyc.testing.case import Ask, Settle, Wait
from policyc.testing.reading import read_test_file
from policyc.testing.suite import read_suite
from testing.on_disk import write

ONE = "{name: one, call: {tool: a}, expect: deny}"


def wrong(text: str) -> list[tuple[str, int, int]]:
    _, diagnostics = read_test_file("tests/x.yaml", text.encode())
    return [(found.code, found.line, found.column) for found in diagnostics]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("empty_file", 1, 1)]),
        ("tests: [\n", [("syntax_error", 2, 1)]),
        ("- a\n", [("wrong_type", 1, 1)]),
        ("test: []\n", [("missing_key", 1, 1), ("unknown_key", 1, 1)]),
        ("tests: []\n", [("empty_list", 1, 8)]),
        ("tests: {}\n", [("wrong_type", 1, 8)]),
        (f"tests: [{ONE}]\ntests: [{ONE}]\n", [("duplicate_key", 2, 1)]),
        (f"tests:\n  - {ONE}\n  - {ONE}\n", [("duplicate_test", 3, 12)]),
        ("tests:\n  - one\n", [("wrong_type", 2, 5)]),
        ("tests:\n  - {call: {tool: a}, expect: deny}\n", [("missing_key", 2, 5)]),
        ("tests:\n  - {name: one, expect: deny}\n", [("bad_test", 2, 5)]),
        ("tests:\n  - {name: one, call: {tool: a}}\n", [("missing_key", 2, 5)]),
        ("tests:\n  - {name: one, call: {tool: a}, expect: {}}\n", [("missing_key", 2, 5)]),
        ("tests:\n  - {name: one, call: {tool: a}, expect: denied}\n", [("unknown_verdict", 2, 42)]),
        ("tests:\n  - {name: one, call: {tool: a}, expect: {rul: x}}\n", [("unknown_key", 2, 43)]),
        ("tests:\n  - {name: one, call: {tols: a}, expect: deny}\n", [("unknown_key", 2, 24)]),
        ("tests:\n  - {name: one, call: {}, expect: deny}\n", [("missing_key", 2, 23)]),
        ("tests:\n  - {name: one, call: {tool: a, stage: hok}, expect: deny}\n", [("unknown_stage", 2, 40)]),
        ("tests:\n  - {name: one, call: {fixture: f}, expect: deny}\n", [("unknown_fixture", 2, 33)]),
        ("tests:\n  - {name: one, payload: {a: 1}, expect: deny}\n", [("bad_call", 2, 26)]),
        ("tests:\n  - {name: one, sequence: [{after: soon}]}\n", [("bad_time", 2, 36)]),
        ("tests:\n  - {name: one, sequence: [{approve: first}]}\n", [("unknown_choice", 2, 38)]),
        ("tests:\n  - {name: one, sequence: [{after: 1s, deny: last}]}\n", [("bad_test", 2, 28)]),
        ("tests:\n  - {name: one, sequence: [{call: {tool: a}}]}\n", [("missing_key", 2, 28)]),
        ("tests:\n  - {name: one, sequence: [{after: 1s, expect: deny}]}\n", [("bad_test", 2, 40)]),
        ("tests:\n  - {name: one, sequence: [{after: 1s}], expect: deny}\n", [("bad_test", 2, 42)]),
        (f"now: 2026-01-01\ntests: [{ONE}]\n", [("bad_time", 1, 6)]),
        (f"fixtures: {{f: {{fixture: g}}}}\ntests: [{ONE}]\n", [("bad_test", 1, 16)]),
        (f"defaults: {{tool: 5}}\ntests: [{ONE}]\n", [("wrong_type", 1, 18)]),
        ('tests:\n  - {name: "a\\nb", call: {tool: a}, expect: deny}\n', [("unprintable", 2, 12)]),
        ("tests:\n  - &a {name: one, x: *a}\n", [("recursive_alias", 2, 23)]),
    ],
)
def test_what_is_wrong_is_said_where_it_is(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert sorted(wrong(text)) == sorted(expected)


def test_a_word_that_was_meant_is_suggested() -> None:
    text = "tests:\n  - {name: one, call: {tool: a}, expekt: deny}\n"
    hints = [found.hint for found in read_test_file("x", text.encode())[1]]
    assert "did you mean `expect`?" in hints


def test_a_test_that_is_wrong_hides_no_other() -> None:
    text = f"tests:\n  - {{name: bad}}\n  - {ONE}\n  - {{name: worse, call: 5}}\n"
    cases, diagnostics = read_test_file("x", text.encode())
    assert [case.name for case in cases] == ["one"]
    assert [found.line for found in diagnostics] == [2, 4]


def test_defaults_fixtures_and_keys_of_a_test_are_put_together() -> None:
    text = """\
now: 2026-01-01T01:00:00+01:00
defaults: {agent: crm-bot, cwd: /work}
fixtures: {pay: {tool: payment.pay, args: {amount: 1}, cwd: /pay}}
tests:
  - {name: a, call: {fixture: pay}, expect: deny}
  - {name: b, call: {fixture: pay, args: {amount: 2}, run: r}, expect: deny}
  - name: c
    call: {fixture: pay}
    table: [{args: {amount: 3}}, {fixture: pay, tool: t, expect: allow}]
    expect: deny
"""
    cases, diagnostics = read_test_file("x", text.encode())
    assert diagnostics == ()
    calls = [case.asks[0].call for case in cases]
    assert [(call.tool, call.args, call.agent, call.cwd, call.run) for call in calls] == [
        ("payment.pay", {"amount": 1}, "crm-bot", "/pay", "test"),
        ("payment.pay", {"amount": 2}, "crm-bot", "/pay", "r"),
        ("payment.pay", {"amount": 3}, "crm-bot", "/pay", "test"),
        ("t", {"amount": 1}, "crm-bot", "/pay", "test"),
    ]
    assert [case.title for case in cases] == ["a", "b", "c [1]", "c [2]"]
    assert [case.line for case in cases] == [5, 6, 9, 9]
    assert [case.asks[0].expected["verdict"] for case in cases] == ["deny", "deny", "deny", "allow"]
    assert {case.now for case in cases} == {1_767_225_600_000_000}


def test_a_run_of_null_is_no_run() -> None:
    text = "tests:\n  - {name: a, call: {tool: t, run: null}, expect: deny}\n"
    (case,), _ = read_test_file("x", text.encode())
    assert case.asks[0].call.run is None


def test_a_payload_is_read_as_its_agents_and_takes_the_agent_of_the_defaults() -> None:
    text = """\
defaults: {agent: coder, tool: ignored}
tests:
  - name: a
    payload: {tool_call: {name: code_execution, args: {code: ls, language: bash}}, environment_id: env_1}
    expect: deny
"""
    (case,), diagnostics = read_test_file("x", text.encode())
    call = case.asks[0].call
    assert diagnostics == ()
    assert (call.canonical, call.stage, call.agent, call.environment_id) == (
        "shell.exec",
        "hook",
        "coder",
        "env_1",
    )
    assert call.run is None  # its environment is its run


def test_a_sequence_is_steps() -> None:
    text = "tests:\n  - {name: a, sequence: [{call: {tool: t}, expect: deny}, {after: 2m}, {deny: last}]}\n"
    (case,), _ = read_test_file("x", text.encode())
    ask, wait, settle = case.steps
    assert isinstance(ask, Ask)
    assert wait == Wait(120_000_000)
    assert settle == Settle(False, 2)


def test_anchors_are_taken() -> None:
    text = "tests:\n  - {name: a, call: &c {tool: t}, expect: &e deny}\n  - {name: b, call: *c, expect: *e}\n"
    cases, diagnostics = read_test_file("x", text.encode())
    assert (len(cases), diagnostics) == (2, ())


def test_text_is_kept_as_it_is(tmp_path: Path) -> None:
    name = "ラベル 🗝 Größe"
    target = write(tmp_path, f"tests:\n  - {{name: {name}, call: {{tool: тул}}, expect: deny}}\n")
    (case,) = read_suite(target).cases
    assert (case.title, case.asks[0].call.tool) == (name, "тул")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00t", b"tests: [\x00]", "tests: [\u202e]".encode()])
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    assert read_suite(write(tmp_path, content)).has_errors


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (found,) = read_suite(write(tmp_path, b"#" * (8 << 20) + b"\n")).diagnostics
    assert found.code == "file_too_large"


def test_a_file_with_many_problems_ends_with_a_word_on_it() -> None:
    text = "tests:\n" + "  - {name: one, expect: deny}\n" * 3_000
    diagnostics = read_test_file("x", text.encode())[1]
    assert len(diagnostics) == 1_001
    assert diagnostics[-1].code == "too_many_problems"


def test_a_bundle_of_aliases_is_refused() -> None:
    text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for letter, before in zip("bcdefgh", "abcdefg", strict=True):
        text += f"{letter}: &{letter} [{', '.join([f'*{before}'] * 10)}]\n"
    assert "alias_bomb" in {found.code for found in read_test_file("x", text.encode())[1]}


def test_files_below_tests_are_read_in_order_and_others_are_not(tmp_path: Path) -> None:
    target = write(tmp_path, f"tests: [{ONE}]\n")
    (target / "tests" / "deep").mkdir()
    (target / "tests" / "deep" / "b.yml").write_text(f"tests: [{ONE}]\n")
    (target / "tests" / "a.json").write_text(
        '{"tests": [{"name": "j", "call": {"tool": "t"}, "expect": "deny"}]}'
    )
    (target / "tests" / ".hidden.yaml").write_text("nonsense")
    (target / "tests" / "readme.md").write_text("nonsense")
    (target / "tests" / "folder.yaml").mkdir()
    paths = [case.path for case in read_suite(target).cases]
    assert paths == ["tests/a.json", "tests/calls.yaml", "tests/deep/b.yml"]


def test_links_stay_within_the_bundle(tmp_path: Path) -> None:
    target = write(tmp_path, f"tests: [{ONE}]\n")
    outside = tmp_path / "outside.yaml"
    outside.write_text(f"tests: [{ONE}]\n")
    (target / "tests" / "out.yaml").symlink_to(outside)
    (target / "tests" / "in.yaml").symlink_to("calls.yaml")
    (target / "tests" / "loop.yaml").symlink_to("loop.yaml")
    (target / "tests" / "up").symlink_to("..")
    suite = read_suite(target)
    codes = {(found.path, found.code) for found in suite.diagnostics}
    assert ("tests/out.yaml", "link_leaves_bundle") in codes
    assert ("tests/loop.yaml", "unreadable_file") in codes
    assert {case.path for case in suite.cases} >= {"tests/calls.yaml", "tests/in.yaml"}


def test_a_pipe_is_no_test_file(tmp_path: Path) -> None:
    target = write(tmp_path, f"tests: [{ONE}]\n")
    os.mkfifo(target / "tests" / "pipe.yaml")
    assert [found.code for found in read_suite(target).diagnostics] == ["unreadable_file"]


def test_a_lone_policy_has_its_tests_beside_it(tmp_path: Path) -> None:
    (tmp_path / "pay.yaml").write_text("- {priority: 1, verdict: deny}\n")
    assert read_suite(tmp_path / "pay.yaml").cases == ()
    (tmp_path / "pay.test.yaml").write_text(f"tests: [{ONE}]\n")
    assert [case.path for case in read_suite(tmp_path / "pay.yaml").cases] == ["pay.test.yaml"]


def test_files_that_are_given_take_the_place_of_those_beside(tmp_path: Path) -> None:
    target = write(tmp_path, f"tests: [{ONE}]\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "x.yaml").write_text("tests: [{name: x, call: {tool: a}, expect: deny}]\n")
    suite = read_suite(target, [tmp_path / "more"])
    assert [case.path for case in suite.cases] == [f"{tmp_path}/more/x.yaml"]
    with pytest.raises(SourceError):
        read_suite(target, [tmp_path / "nowhere.yaml"])
