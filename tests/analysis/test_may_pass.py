"""What a list of tools may leave out: only tools of which no call passes."""

from __future__ import annotations

import pytest
from builders import clause, plan, rule
from hypothesis import given
from hypothesis import strategies as st

from policyc.analysis.may_pass import may_pass
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import STAGES, Call

NAMES = ("crm.get", "mcp.crm.get")
BIG = [clause("$.n", "gt", 3)]


@pytest.mark.parametrize(
    ("rules", "changes", "expected"),
    [
        ([], {"default": "deny"}, False),
        ([], {"default": "audit"}, True),
        ([], {"default": "deny", "shadow": True}, True),
        ([rule("allow", tools=["crm.*"], clauses=BIG)], {"default": "deny"}, True),
        ([rule("allow", tools=["other.*"])], {"default": "deny"}, False),
        ([rule("allow", tools=["crm.*"], stages=["hook"])], {"default": "deny"}, False),
        ([rule("pending_approval", tools=["mcp.crm.*"])], {"default": "deny"}, True),
        ([rule(tools=["crm.get"])], {"default": "allow"}, False),
        ([rule(tools=["crm.get"], clauses=BIG)], {"default": "allow"}, True),
        ([rule(tools=["crm.get"], skills=["x"])], {"default": "allow"}, True),
        ([rule(tools=["crm.get"], shadow=True)], {"default": "allow"}, True),
        ([rule(tools=["crm.get"]), rule("allow")], {"default": "allow"}, False),
    ],
)
def test_a_tool_is_shown_unless_every_call_is_denied(rules, changes, expected):
    policy = plan(rules, **changes).policies["p"]
    assert may_pass(policy, NAMES, "mcp") is expected


def test_without_a_policy_nothing_passes():
    assert not may_pass(None, NAMES, "mcp")


rules = st.builds(
    rule,
    st.sampled_from(["allow", "audit", "deny", "pending_approval"]),
    tools=st.none() | st.lists(st.sampled_from(["crm.*", "mcp.*", "x", "*"]), min_size=1, max_size=2),
    stages=st.none() | st.lists(st.sampled_from(STAGES), min_size=1, unique=True),
    clauses=st.sampled_from([[], BIG, [clause("$.n", "exists")]]),
)


@given(st.lists(rules, max_size=5), st.sampled_from(["allow", "deny"]), st.integers(0, 6), st.booleans())
def test_what_passes_is_never_left_out(found, default, number, has_argument):
    made = plan(found, default=default)
    call = Call(NAMES[0], {"n": number} if has_argument else {}, canonical=NAMES[1])
    if Evaluator(made).decide(call).verdict != "deny":
        assert may_pass(made.policies["p"], NAMES, "mcp")
