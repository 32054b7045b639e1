"""`proved` is never contradicted by a call, and a witness always differs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.policies import clause, documents, edits, policies, policy
from policyc.analysis.difference import compare
from policyc.engine.calls import read_call
from policyc.engine.model import Outcome, Policy
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
    if differs(old, new):
        assert found.changes or found.rest == "unknown"


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
