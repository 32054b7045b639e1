"""Which changes are made of a rule, a clause and a policy."""

from __future__ import annotations

import pytest
from analysis.policies import clause

from policyc.building import compile_path
from policyc.engine.plan import Plan
from policyc.engine.regex import compile_regex
from policyc.testing.mutation.clauses import of_clause
from policyc.testing.mutation.mutants import mutants_of
from policyc.testing.mutation.patterns import alternatives

POLICY = """\
default_verdict: audit
rules:
  - {priority: 1, label: reads, tool_name_glob: [crm.get*, crm.list], verdict: allow}
  - {priority: 2, label: crm, tool_name_glob: crm.*, verdict: deny}
  - {priority: 3, label: other, tool_name_glob: web.*, verdict: deny}
  - {priority: 4, label: mail, tool_name_glob: m.*, verdict: sanitize, sanitize: {presets: [email, ssn_us]}}
  - priority: 5
    label: often
    tool_name_glob: pay.*
    verdict: deny
    rate: {max: 5, window_seconds: 60, per: run}
"""


def changes(op, value, **more):
    """What a clause becomes: (op, value, not), None where it is dropped."""
    found = [change.clause for change in of_clause(clause(op, value, **more))]
    return [None if it is None else (it.op, it.value, it.negated) for it in found]


@pytest.mark.parametrize(
    ("op", "value", "made"),
    [
        ("gt", 5, [("gte", 5), ("gt", 6)]),
        ("gte", 5, [("gt", 5), ("gte", 4)]),
        ("lt", 5, [("lte", 5), ("lt", 4)]),
        ("lte", 5, [("lt", 5), ("lte", 6)]),
        ("gt", 0.5, [("gte", 0.5)]),
        ("starts_with", "a", [("contains", "a")]),
        ("in", ["a", "b"], [("in", ["b"]), ("in", ["a"])]),
        ("in", ["a"], []),
        ("eq", "a", []),
        ("regex", "^(a|b)$", [("regex", "(a|b)$"), ("regex", "^(a|b)")]),
        ("regex", "(?i)a|b", [("regex", "(?i)b"), ("regex", "(?i)a")]),
        ("cidr_match", "10.0.0.0/8", [("cidr_match", ["10.0.0.0/7"]), ("cidr_match", ["10.0.0.0/9"])]),
        ("host", ["a.example", "!b.a.example"], [("host", ["a.example"])]),
        ("shell", {"program": ["a", "b"]}, [("shell", {"program": ["b"]}), ("shell", {"program": ["a"]})]),
        (
            "shell",
            {"program": "git", "args": ["push"]},
            [("shell", {"args": ["push"]}), ("shell", {"program": "git"})],
        ),
        (
            "shell",
            {"args": "stash drop"},
            [("shell", {"args": ["stash"]})],
        ),
    ],
)
def test_changes_of_a_clause(op, value, made):
    expected = [None, (op, value, True), *((name, changed, False) for name, changed in made)]
    assert changes(op, value) == expected


def test_a_clause_that_takes_away_is_about_what_it_takes():
    dropped, negated, narrower, *_ = of_clause(clause("in", ["a", "b"], negated=True))
    assert (dropped.focus.negated, negated.focus.negated) == (False, True)
    assert (narrower.focus.negated, narrower.focus.value) == (False, ["a"])


@pytest.mark.parametrize("pattern", ["a|b", r"a\|b", "[a|b]|c", "[]|a]|b", "[^]|]|x", "(a|b)|c", "(?i)a|b"])
def test_alternatives_together_are_the_pattern(pattern):
    parts = alternatives(pattern)
    assert "|".join(parts) == pattern
    for part in parts:
        compile_regex(part)


def test_changes_of_a_policy(tmp_path):
    (tmp_path / "p.yaml").write_text(POLICY)
    made = {(it.kind, it.rule, it.place.rpartition(":")[2]) for it in mutants_of(plan(tmp_path / "p.yaml"))}
    for line, label in enumerate(("reads", "crm", "other", "mail", "often"), start=3):
        for kind in ("rule_deleted", "verdict_flipped", "shadow_flipped"):
            assert (kind, label, str(line)) in made
    assert ("default_flipped", None, "1") in made
    assert {kind for kind, rule, _ in made if rule == "often"} >= {"bound_moved", "condition_dropped"}
    assert ("value_changed", "mail", "6") in made
    # `crm` and `other` say the same, and no call meets `other` and `mail`: their order cannot matter.
    assert [rule for kind, rule, _ in made if kind == "swapped"] == ["reads"]


def test_rules_of_other_bundles_are_left_alone(tmp_path):
    (tmp_path / "p.yaml").write_text("default_verdict: deny\ninclude: [crm_reader]\nrules: []\n")
    assert [mutant.kind for mutant in mutants_of(plan(tmp_path / "p.yaml"))] == ["default_flipped"]


def plan(path):
    return Plan.load(compile_path(path).data)
