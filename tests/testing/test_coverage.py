"""Which outcomes tests come to, and which not."""

from __future__ import annotations

from pathlib import Path

import pytest

from policyc.testing.coverage import Coverage, coverage
from policyc.testing.places import Places
from policyc.testing.run import Runner
from testing.on_disk import read, write

RULE = """\
rules:
  - priority: 1
    label: r
    tool_name_glob: t
    args_match:
      clauses:
        - {path: $.a, op: eq, value: 1}
        - {path: $.b, op: eq, value: 1}
    verdict: deny
"""


def covered(folder: Path, policy: str, *calls: str, **more: str) -> tuple[Coverage, Places]:
    rows = ", ".join(calls)
    text = f"tests: [{{name: t, table: [{rows}], expect: {{policy: p}}}}]\n"
    suite, loaded = read(write(folder, text, policy, **more))
    runner = Runner(suite, loaded, cover=True)
    assert all(result.passed for result in runner.results())
    return coverage(loaded.plan, runner.points), Places(loaded.sources)


def missed(found: Coverage) -> set[tuple[object, bool]]:
    return {(point[1], point[2]) for rule in found.own for point in rule.missed}


EVERY = {(name, outcome) for name in ("rule", 0, 1) for outcome in (True, False)}


@pytest.mark.parametrize(
    ("calls", "seen"),
    [
        (["{tool: x}"], {("rule", False)}),
        (["{tool: t}"], {("rule", False), (0, False)}),
        (["{tool: t, args: {a: 1}}"], {("rule", False), (0, True), (1, False)}),
        (["{tool: t, args: {a: 1, b: 1}}"], {("rule", True), (0, True), (1, True)}),
        # A clause that stands behind a false one is not looked at.
        (["{tool: t, args: {b: 1}}"], {("rule", False), (0, False)}),
        (["{tool: t, args: {a: 1, b: 1}}", "{tool: t, args: {a: 1}}", "{tool: t}"], EVERY),
    ],
)
def test_each_outcome_counts_once_it_was_seen(
    tmp_path: Path, calls: list[str], seen: set[tuple[object, bool]]
) -> None:
    found, _ = covered(tmp_path, RULE, *calls)
    assert missed(found) == EVERY - seen
    assert found.percent == pytest.approx(100 * len(seen) / 6)


def test_lines_are_those_of_the_clauses(tmp_path: Path) -> None:
    found, places = covered(tmp_path, RULE, "{tool: x}")
    lines = {point[1]: places.line(*point[:2]) for rule in found.own for point in rule.points}
    assert lines == {"rule": 2, 0: 7, 1: 8}


def test_what_cannot_be_known_is_neither(tmp_path: Path) -> None:
    policy = """\
rules:
  - {priority: 1, label: r, tool_name_glob: shell.exec, verdict: deny,
     args_match: {clauses: [{path: $.command, op: shell, value: {program: rm}}]}}
"""
    found, _ = covered(tmp_path, policy, "{tool: shell.exec, args: {command: $X y}}")
    assert missed(found) == {("rule", True), ("rule", False), (0, True), (0, False)}


def test_a_rule_without_conditions_is_never_passed_over(tmp_path: Path) -> None:
    policy = "- {priority: 1, label: r, tool_name_glob: '*', verdict: deny}\n"
    found, _ = covered(tmp_path, policy, "{tool: x}")
    assert found.percent == 100
    assert [len(rule.points) for rule in found.own] == [1]


def test_a_rule_behind_one_that_decides_is_missed(tmp_path: Path) -> None:
    policy = "- {priority: 1, verdict: deny}\n- {priority: 2, tool_name_glob: t, verdict: allow}\n"
    found, _ = covered(tmp_path, policy, "{tool: t}", "{tool: x}")
    assert missed(found) == {("rule", True), ("rule", False)}


def test_skills_egress_and_budgets_are_conditions(tmp_path: Path) -> None:
    policy = """\
rules:
  - {priority: 1, label: s, skill_name_glob: a, verdict: deny}
  - {priority: 2, label: e, stage: egress, egress: {deny: [a.example]}, verdict: deny}
  - priority: 3
    label: b
    tool_name_glob: t
    verdict: deny
    rate: {max: 1, window_seconds: 60, per: run}
"""
    found, places = covered(tmp_path, policy, "{tool: t, skill: b}")
    assert missed(found) == {
        ("rule", True),
        ("skill", True),
        ("egress", True),
        ("egress", False),
        ("budget", True),
    }
    lines = {point[1]: places.line(*point[:2]) for rule in found.own for point in rule.points}
    assert lines["budget"] == 8


def test_rules_of_included_bundles_are_apart(tmp_path: Path) -> None:
    policy = "include: [payment_cap]\nrules: [{priority: 1, label: r, tool_name_glob: t, verdict: deny}]\n"
    found, _ = covered(tmp_path, policy, "{tool: t}", "{tool: x}")
    assert found.percent == 100
    assert [rule.rule.label for rule in found.foreign] == ["cap payment amount"]


def test_a_rule_that_two_policies_include_is_one(tmp_path: Path) -> None:
    shared = "rules: [{priority: 1, label: r, tool_name_glob: t, verdict: deny}]\n"
    found, _ = covered(tmp_path, "include: [shared]\n", "{tool: t}", "{tool: x}", shared=shared)
    assert len(found.own) == 1
    assert found.by_policy == {"p": 100.0, "shared": 100.0}


def test_the_calls_of_one_call_are_all_walked(tmp_path: Path) -> None:
    policy = "rules: [{priority: 1, label: r, tool_name_glob: fs.delete, verdict: deny}]\n"
    patch = '"*** Begin Patch\\n*** Delete File: a\\n*** Update File: b\\n@@\\n-x\\n+y\\n*** End Patch"'
    call = f"{{tool: apply_patch, stage: hook, args: {{command: {patch}}}}}"
    found, _ = covered(tmp_path, policy, call)
    assert missed(found) == set()
