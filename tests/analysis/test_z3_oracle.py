"""z3 on one formula over both policies says the same as the analyser, on a fragment that it can take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.policies import clause, policy
from policyc.analysis.difference import compare
from policyc.engine.model import Clause, Rule

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
        st.sampled_from(("allow", "deny")),
        st.none(),
        st.none(),
        st.lists(_clauses, min_size=1, max_size=2),
        st.sampled_from(({}, {}, {"shadow": True})),
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


#: The call passes, is stopped, or passes and a rule in shadow would have stopped it.
_PASSES, _STOPPED, _WOULD_STOP = 0, 1, 2


def _comes_to(rules: Sequence[Rule], number: Any, text: Any, noted: Any) -> Any:
    """``noted`` is whether a rule in shadow that denies was met."""
    passes = z3.If(noted, _WOULD_STOP, _PASSES)
    if not rules:
        return passes
    first, *rest = rules
    matches = z3.And([_formula(it, number, text) for it in first.clauses])
    if first.shadow:
        denies = z3.And(matches, first.verdict == "deny")
        return _comes_to(rest, number, text, z3.Or(noted, denies))
    ends = z3.IntVal(_STOPPED) if first.verdict == "deny" else passes
    return z3.If(matches, ends, _comes_to(rest, number, text, noted))


@given(_rules, _rules)
@settings(max_examples=150, deadline=None)
def test_proved_and_found_are_what_z3_says(old: list[Any], new: list[Any]) -> None:
    one, two = policy([*_KIND, *old], "allow"), policy([*_KIND, *new], "allow")
    number, text = z3.Real("n"), z3.String("s")
    solver = z3.Solver()
    ends = [_comes_to(it.rules[len(_KIND) :], number, text, z3.BoolVal(False)) for it in (one, two)]
    solver.add(number > -(10**9), ends[0] != ends[1])
    found = compare(one, two)
    assert found.rest == "proved"
    assert (solver.check() == z3.sat) is bool(found.changes)
