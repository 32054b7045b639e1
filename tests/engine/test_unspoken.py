"""Arguments that nobody can read, and a tool that nobody called yet."""

import pytest
from builders import clause, plan, rule

from policyc.engine.evaluate import Evaluator
from policyc.engine.model import OPEN, UNKNOWN, Call
from policyc.engine.walk import decide

SMALL = clause("$.amount", "lt", 100)
LARGE = clause("$.amount", "gt", 100)


def verdict(loaded, args, stage="response", tool="payment.refund"):
    asked = Call(tool, args, stage)
    fast = Evaluator(loaded).decide(asked)
    slow = decide(loaded.policies["p"], asked)
    assert (fast.verdict, fast.rule) == (slow.verdict, slow.rule)
    return fast.verdict


def test_what_cannot_be_read_may_be_what_a_rule_stops():
    loaded = plan([rule("deny", clauses=[LARGE]), rule("allow", label="rest", priority=2)])
    assert verdict(loaded, UNKNOWN) == "deny"
    assert verdict(loaded, {"amount": 1}) == "allow"


def test_what_cannot_be_read_is_not_what_a_rule_allows():
    assert verdict(plan([rule("allow", clauses=[SMALL])], default="deny"), UNKNOWN) == "deny"


@pytest.mark.parametrize("word", ["match", "no_match"])
def test_a_clause_may_settle_what_unknown_means(word):
    loaded = plan([rule("deny", clauses=[{**LARGE, "unknown": word}])], default="allow")
    assert verdict(loaded, UNKNOWN) == ("deny" if word == "match" else "allow")


def test_a_missing_argument_is_not_an_unknown_one():
    loaded = plan([rule("deny", clauses=[clause("$.ticket", "exists", False)])], default="allow")
    assert verdict(loaded, {}) == "deny"
    assert verdict(loaded, OPEN, "inbound") == "allow"


def test_a_tool_may_be_offered_where_some_arguments_would_pass():
    assert verdict(plan([rule("allow", clauses=[SMALL])], default="deny"), OPEN, "inbound") == "allow"
    assert verdict(plan([rule("deny", clauses=[LARGE])], default="allow"), OPEN, "inbound") == "allow"
    assert verdict(plan([rule("pending_approval", clauses=[LARGE])], default="audit"), OPEN) == "audit"


def test_a_tool_that_no_arguments_let_pass_may_not():
    assert verdict(plan([rule("deny")], default="allow"), OPEN, "inbound") == "deny"
    assert verdict(plan([rule("deny", clauses=[LARGE])], default="deny"), OPEN, "inbound") == "deny"
    held = plan([rule("pending_approval"), rule("allow", label="later", priority=2)])
    assert verdict(held, OPEN, "inbound") == "pending_approval"


@pytest.mark.parametrize("stages", [None, ["inbound"], ["response"]])
def test_an_advertised_tool_is_no_call_of_a_rate(stages):
    limited = {"max": 1, "window_seconds": 60, "per": "agent"}
    loaded = plan([rule("deny", rate=limited, stages=stages)], default="allow")
    evaluator = Evaluator(loaded)
    offered, called = Call("x", OPEN, "inbound"), Call("x", {}, "response")
    counts = stages == ["inbound"]
    assert bool(evaluator.counting(offered)) is counts
    assert verdict(loaded, OPEN, "inbound") == ("deny" if counts else "allow")
    assert bool(evaluator.counting(called)) is (stages != ["inbound"])
