"""The decision of a mutant is the one that the plain walk comes to, whatever was looked up before."""

from __future__ import annotations

from analysis.policies import documents, policies
from hypothesis import given, settings
from hypothesis import strategies as st

from policyc.engine.calls import read_call
from policyc.engine.model import Outcome, Policy, Source
from policyc.engine.plan import Plan
from policyc.engine.walk import decide
from policyc.testing.mutation.mutants import mutants_of
from policyc.testing.mutation.walks import Walks

CALLS = [read_call(document) for document in documents()[::7]]


def said(outcome: Outcome) -> tuple[object, ...]:
    return outcome.verdict, outcome.rule, outcome.would_be, outcome.reason


def numbered(policy: Policy) -> Plan:
    """A plan of the policy whose rules stand on lines of their own."""
    for number, rule in enumerate(policy.rules):
        rule.source = Source("p.yaml", number + 2)
    return Plan("b", {"p": policy}, "p", [], {})


@given(policies, st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_every_mutant_decides_as_its_policy_does(policy, random):
    plan = numbered(policy)
    walks = Walks(policy)
    mutants = mutants_of(plan)
    for mutant in random.sample(mutants, min(len(mutants), 12)):
        (edit,) = mutant.edits.values()
        changed = edit.apply(policy)
        for call in CALLS:
            expected = decide(changed, call)
            found = walks.decide(edit, call)
            assert said(found or decide(policy, call)) == said(expected)
