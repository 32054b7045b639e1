"""z3 on one formula over both policies says the same as the analyser, on a fragment that it can take."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.policies import clause, policy
from policyc.analysis.difference import compare
from policyc.engine.model import Clause, Policy

z3 = pytest.importorskip("z3", reason="z3-solver is an oracle of the slow tests alone")

pytestmark = pytest.mark.slow

_TEXTS = ("", "x", "xy", "yx")
#: Numbers and texts at one path each, both always there and of their type.
_clauses = st.one_of(
    st.builds(
        lambda op, value, negated: clause(op, value, "n", negated=negated),
        st.sampled_from(("gt", "gte", "lt", "lte")),
        st.integers(-3, 3),
        st.booleans(),
    ),
    st.builds(
        lambda op, value, negated: clause(op, value, "s", negated=negated),
        st.sampled_from(("eq", "contains", "starts_with", "ends_with")),
        st.sampled_from(_TEXTS),
        st.booleans(),
    ),
)
#: The first two rules deny what is not of that kind, so that only the fragment decides.
_KIND: list[Any] = [
    (
        "deny",
        None,
        None,
        [Clause("$.n", [["field", "n"]], "gt", -(10**9), negated=True, on_missing=True, match="any")],
    ),
    (
        "deny",
        None,
        None,
        [Clause("$.s", [["field", "s"]], "contains", "", negated=True, on_missing=True, match="any")],
    ),
]
_rules = st.lists(
    st.tuples(
        st.sampled_from(("allow", "deny")), st.none(), st.none(), st.lists(_clauses, min_size=1, max_size=2)
    ),
    min_size=1,
    max_size=4,
)


def _formula(one: Clause, number: Any, text: Any) -> Any:
    holds = {
        "gt": lambda: number > one.value,
        "gte": lambda: number >= one.value,
        "lt": lambda: number < one.value,
        "lte": lambda: number <= one.value,
        "eq": lambda: text == z3.StringVal(one.value),
        "contains": lambda: z3.Contains(text, z3.StringVal(one.value)),
        "starts_with": lambda: z3.PrefixOf(z3.StringVal(one.value), text),
        "ends_with": lambda: z3.SuffixOf(z3.StringVal(one.value), text),
    }[one.op]()
    return z3.Not(holds) if one.negated else holds


def _denies(one: Policy, number: Any, text: Any) -> Any:
    result = z3.BoolVal(one.default_verdict == "deny")
    for rule in reversed(one.rules[len(_KIND) :]):
        matches = z3.And([_formula(it, number, text) for it in rule.clauses])
        result = z3.If(matches, z3.BoolVal(rule.verdict == "deny"), result)
    return result


@given(_rules, _rules)
@settings(max_examples=150, deadline=None)
def test_proved_and_found_are_what_z3_says(old: list[Any], new: list[Any]) -> None:
    one, two = policy([*_KIND, *old], "allow"), policy([*_KIND, *new], "allow")
    number, text = z3.Real("n"), z3.String("s")
    solver = z3.Solver()
    solver.add(number > -(10**9), _denies(one, number, text) != _denies(two, number, text))
    found = compare(one, two)
    assert found.rest == "proved"
    assert (solver.check() == z3.sat) is bool(found.changes)
