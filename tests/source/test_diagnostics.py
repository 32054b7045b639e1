"""Diagnostics as data: order, paths, bounds."""

from __future__ import annotations

import random

from policyc.source.diagnostics import Diagnostic, format_path
from policyc.source.findings import MAX_PER_FILE, Findings


def found(path: str, line: int, column: int, code: str = "unknown_key") -> Diagnostic:
    return Diagnostic(code, "error", path, line, column, "$", "message")


def test_they_sort_by_path_line_and_column() -> None:
    ordered = [
        found("a", 1, 2),
        found("a", 2, 1),
        found("a", 10, 1),
        found("b", 1, 1),
        found("b", 1, 1, "wrong_type"),
    ]
    shuffled = ordered.copy()
    random.Random(7).shuffle(shuffled)
    assert sorted(shuffled) == ordered


def test_paths_are_json_paths() -> None:
    assert format_path(()) == "$"
    assert format_path(("rules", 0, "args_match")) == "$.rules[0].args_match"
    assert format_path(("a b", "it's", "é", "")) == r"$['a b']['it\'s']['é']['']"


def test_a_repeated_problem_is_one() -> None:
    findings = Findings("a")
    for _ in range(2):
        findings.add("unknown_key", (1, 1), ("x",), "message")
    assert len(findings.diagnostics) == 1


def test_nothing_is_said_about_what_could_not_be_read() -> None:
    findings = Findings("a")
    findings.hole(("rules", 0))
    findings.add("wrong_type", (1, 1), ("rules", 0, "priority"), "message")
    findings.add("wrong_type", (1, 1), ("rules", 1), "message")
    assert [diagnostic.json_path for diagnostic in findings.diagnostics] == ["$.rules[1]"]


def test_a_file_has_a_bounded_number_of_problems() -> None:
    findings = Findings("a")
    for line in range(2 * MAX_PER_FILE):
        findings.add("unknown_key", (line, 1), (), "message")
    assert len(findings.diagnostics) == MAX_PER_FILE + 1
    assert findings.diagnostics[-1].code == "too_many_problems"
