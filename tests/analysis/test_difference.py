"""`proved` is never contradicted by a call, and a witness always differs."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.policies import SOURCE, UNSURE, clause, documents, edits, policies, policy
from policyc.analysis.cases import cases_of, without_destination
from policyc.analysis.difference import compare
from policyc.engine.calls import read_call
from policyc.engine.model import Budget, Clause, Outcome, Policy, Rule
from policyc.engine.walk import decide

CALLS = [read_call(document) for document in documents()]


def differs(old: Policy, new: Policy) -> bool:
    outcomes = (tuple(said(decide(one, call)) for one in (old, new)) for call in CALLS)
    return any(before != after for before, after in outcomes)


def said(outcome: Outcome) -> tuple[str | None, ...]:
    return outcome.verdict, outcome.would_be, str(outcome.sanitize)


def hold(old: Policy, new: Policy) -> None:
    found = compare(old, new)
    for change in found.changes:
        call = read_call(change.witness)
        assert said(decide(old, call)) == said(change.before)
        assert said(decide(new, call)) == said(change.after) != said(change.before)
    if found.rest == "proved":
        known = {(change.old.key, change.new.key) for change in found.changes}
        for call in CALLS:
            before, after = decide(old, call), decide(new, call)
            if said(before) != said(after):
                assert (key_of(old, before), key_of(new, after)) in known, call.args


def key_of(policy: Policy, outcome: Outcome) -> str:
    """The key of the case that came to the outcome."""
    if outcome.reason_code == "no_destination":
        return without_destination(policy).key
    return next(case.key for case in cases_of(policy) if case.label == outcome.rule)


@given(edits())
@settings(max_examples=300)
def test_one_edit(pair: tuple[Policy, Policy]) -> None:
    hold(*pair)


@given(policies, policies)
@settings(max_examples=200)
def test_two_policies(old: Policy, new: Policy) -> None:
    hold(old, new)


@given(policies)
def test_a_policy_is_equal_to_itself(one: Policy) -> None:
    found = compare(one, one)
    assert (found.changes, found.rest) == ([], "proved")


@given(st.sampled_from([("deny", "allow"), ("audit", "deny")]))
def test_a_verdict_that_changes_is_one_region(verdicts: tuple[str, str]) -> None:
    about = (("a",), None, [clause("gt", 1)])
    (change,) = compare(policy([(verdicts[0], *about)]), policy([(verdicts[1], *about)])).changes
    assert (change.old.label, change.new.label) == ("r0", "r0")
    assert (change.before.verdict, change.after.verdict) == verdicts


URL = "http://["


def settling(when_unknown: bool | None) -> Policy:
    """Denies a host; of ``URL`` nobody can tell the host."""
    asked = clause("host", "x", match="any", when_unknown=when_unknown)
    return policy([("deny", None, None, [asked])], "allow")


@pytest.mark.parametrize("pair", [*itertools.permutations((True, False, None), 2)])
def test_an_unknown_answer_that_is_settled_otherwise_is_never_proved_equal(pair):
    old, new = (settling(when_unknown) for when_unknown in pair)
    call = read_call({"tool": "a", "args": {"n": URL}})
    if decide(old, call).verdict != decide(new, call).verdict:
        found = compare(old, new)
        assert found.changes or found.rest == "unknown"


def test_a_rule_in_shadow_changes_what_a_call_that_passes_comes_to():
    old = policy([("deny", ("a",), None, [], {"shadow": True})], "allow")
    (change,) = compare(old, policy([], "allow")).changes
    assert (change.before.verdict, change.before.would_be, change.after.verdict) == ("audit", "deny", "allow")


def test_a_rule_that_may_match_before_the_one_that_changed_is_a_change_of_its_own():
    """Where nobody can tell the host, the hold was hidden by the deny."""
    hold_host = ("pending_approval", None, None, [clause("host", "x")])
    found = compare(*(policy([hold_host, (it, ("a",), None, [])], "allow") for it in ("deny", "allow")))
    assert {(it.before.verdict, it.after.verdict) for it in found.changes} == {
        ("deny", "allow"),
        ("deny", "pending_approval"),
    }


def test_a_rate_that_counts_other_calls_is_not_proved_to_stop_the_same():
    """Calls of ``a`` pass before the rate, and count all the same."""

    def rated(*tools: str) -> Policy:
        passed = policy([("allow", ("a",), None, [])], "allow")
        rate = Budget("rate", 3, window=60)
        counting = Rule("rate", 2, "deny", SOURCE, tools=tools, stages=None, clauses=(), budget=rate)
        return Policy("p", "allow", False, SOURCE, (*passed.rules, counting))

    assert compare(rated("b"), rated("b")).rest == "proved"
    found = compare(rated("b"), rated("b", "a"))
    assert (found.changes, found.rest) == ([], "unknown")


def test_a_path_into_what_an_open_question_is_about_breaks_nothing_off():
    many = Clause(
        "$.n[*]", [["field", "n"], ["wildcard"]], "gt", 1, negated=False, on_missing=False, match="any"
    )
    deep = Clause(
        "$.n.s", [["field", "n"], ["field", "s"]], "eq", 1, negated=True, on_missing=False, match="any"
    )
    old = policy([("deny", None, None, [many]), ("audit", None, None, [deep])], "allow")
    hold(old, policy([("pending_approval", None, None, [many]), ("audit", None, None, [deep])], "deny"))


def test_where_a_stage_makes_a_verdict_stricter_it_hides_others():
    """A hook that cannot rewrite arguments denies: the sanitize that may match did so before the hold."""
    sure = ("deny", None, frozenset({"hook"}), [clause("host", "x", when_unknown=False)])
    unsure = ("sanitize", None, frozenset({"hook"}), [clause("host", "x")])
    old, new = (policy([sure, *more, ("pending_approval", None, None, [])]) for more in ([unsure], []))
    call = read_call({"tool": "a", "stage": "hook", "args": {"n": UNSURE}})
    assert (decide(old, call).verdict, decide(new, call).verdict) == ("deny", "pending_approval")
    found = compare(old, new)
    assert found.changes or found.rest == "unknown"


def test_a_rule_that_changed_and_only_may_match_leaves_the_decision_to_another():
    rules = ([(it, None, None, [clause("host", "x")])] for it in ("deny", "allow"))
    found = compare(*(policy([*one, ("pending_approval", None, None, [])]) for one in rules))
    assert {(it.before.verdict, it.after.verdict) for it in found.changes} == {
        ("deny", "allow"),
        ("deny", "pending_approval"),
    }
