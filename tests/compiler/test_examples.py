"""The rule key ``examples``: tried by the check, kept out of the plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from sources_on_disk import compile_files

from policyc.building import compile_path
from policyc.compiler.examples import Example

PAY = "tool_name_glob: pay, args_match: {clauses: [{path: $.n, op: gt, value: 5}]}"
SHELL = (
    "tool_name_glob: shell.exec, args_match: {clauses: [{path: $.command, op: shell, value: {program: rm}}]}"
)
CAPPED = "stage: mcp, rate: {max: 5, window_seconds: 60}"


def found(keys: str, examples: str, folder: Path) -> list[str]:
    rule = f"rules: [{{priority: 1, label: r, verdict: deny, {keys}, examples: {examples}}}]\n"
    return [one.code for one in compile_files({"p.yaml": rule.encode()}, folder).diagnostics]


@pytest.mark.parametrize(
    ("keys", "examples", "codes"),
    [
        (PAY, "{match: [{args: {n: 6}}]}", []),
        (PAY, "{match: [{args: {n: 5}}]}", ["failed_example"]),
        (PAY, "{no_match: [{args: {n: 5}}, {tool: other, args: {n: 6}}]}", []),
        (PAY, "{no_match: [{args: {n: 6}}]}", ["failed_example"]),
        (
            PAY,
            "{match: [{args: {n: 6}}, {args: {n: 1}}], no_match: [{args: {n: 7}}]}",
            ["failed_example"] * 2,
        ),
        (SHELL, "{match: [rm x, sudo rm x], no_match: [ls, 'echo rm']}", []),
        (SHELL, "{match: [ls]}", ["failed_example"]),
        # What cannot be known is neither.
        (SHELL, "{match: [$X y]}", ["failed_example"]),
        (SHELL, "{no_match: [$X y]}", ["failed_example"]),
        ("tool_name_glob: 'a.*'", "{match: [{args: {}}]}", ["bad_example"]),
        ("tool_name_glob: [a, b]", "{match: [{args: {}}]}", ["bad_example"]),
        ("tool_name_glob: [a, b]", "{match: [{tool: b}], no_match: [{tool: c}]}", []),
        ("stage: [hook, mcp]", "{match: [{tool: x}], no_match: [{tool: x, stage: egress}]}", []),
        ("stage: egress, egress: {deny: [a.example]}", "{match: [{tool: x, args: {host: a.example}}]}", []),
        (CAPPED, "{match: [{tool: x}]}", []),
        ("stage: hook", "{match: [{tool: x, cwdd: /}]}", ["bad_example"]),
        ("stage: hook", "{match: [{tool_call: {name: read_file, args: {path: /a}}}]}", []),
        ("tool_name_glob: x", "{match: []}", ["empty_list"]),
        ("tool_name_glob: x", "{matches: [{tool: x}]}", ["unknown_key"]),
        ("tool_name_glob: x", "[{tool: x}]", ["wrong_type"]),
    ],
)
def test_each_is_tried_on_the_rule_alone(tmp_path: Path, keys: str, examples: str, codes: list[str]) -> None:
    assert found(keys, examples, tmp_path) == codes


def test_a_failure_is_said_at_the_example_with_what_it_saw(tmp_path: Path) -> None:
    rule = """\
- priority: 1
  label: r
  verdict: deny
  tool_name_glob: pay
  args_match: {clauses: [{path: $.n, op: gt, value: 5}]}
  examples:
    match:
      - {args: {n: 6}}
      - {args: {n: 5}}
"""
    (one,) = compile_files({"p.yaml": rule.encode()}, tmp_path).diagnostics
    assert (one.line, one.column, one.json_path) == (9, 9, "$[0].examples.match[1]")
    assert one.message == 'the rule "r" is not about this call: $.n gt 5: saw 5'


def test_the_plan_is_the_same_without_them_and_they_are_beside_it(tmp_path: Path) -> None:
    bare = "rules: [{priority: 1, label: r, tool_name_glob: pay, verdict: deny%s}]\n"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "p.yaml").write_text(bare % "")
    (tmp_path / "b" / "p.yaml").write_text(bare % ", examples: {match: [{args: {n: 6}}], no_match: [ls]}")
    without, built = (compile_path(tmp_path / name / "p.yaml") for name in "ab")
    assert without.data["policies"] == built.data["policies"]
    assert built.examples == (
        Example("p", "r", True, {"tool": "pay", "args": {"n": 6}}),
        Example("p", "r", False, {"tool": "shell.exec", "args": {"command": "ls"}}),
    )


def test_values_are_filled_in_before(tmp_path: Path) -> None:
    files = {
        "bundle.yaml": b"bundle: b\n",
        "values.yaml": b"limit: 5\n",
        "policies/p.yaml": b"""\
- priority: 1
  tool_name_glob: pay
  verdict: deny
  args_match: {clauses: [{path: $.n, op: gt, value: {from: limit}}]}
  examples: {match: [{args: {n: 6}}], no_match: [{args: {n: 5}}]}
""",
    }
    assert compile_files(files, tmp_path).diagnostics == ()


def test_a_rule_that_has_something_wrong_with_it_fails_for_that_alone(tmp_path: Path) -> None:
    keys = "tool_name_glob: x, args_match: {clauses: [{path: $.n, op: regex, value: '('}]}"
    assert found(keys, "{match: [{args: {n: 6}}]}", tmp_path) == ["bad_regex"]
