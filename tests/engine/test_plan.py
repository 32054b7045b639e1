import copy

import pytest
from builders import clause, plan_data, rule

from policyc.engine.plan import Plan, PlanError

GOOD = plan_data(
    [rule(stages=["mcp"], tools=["a.*"], clauses=[clause("$.a[*]", "in", ["x"])])],
    bindings=[{"agents": ["crm-*"], "policy": "p"}],
)


def broken(path, value):
    data = copy.deepcopy(GOOD)
    *parents, last = path
    place = data
    for key in parents:
        place = place[key]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return data


RULE = ("policies", "p", "rules", 0)
CLAUSE = (*RULE, "clauses", 0)


def test_a_plan_loads():
    loaded = Plan.load(GOOD)
    assert loaded.bundle == "t"
    assert str(loaded.policies["p"].rules[0].source) == "policies/p.yaml:3"


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("format",), 2, "$.format"),
        (("format",), True, "$.format"),
        (("format",), KeyError, "$.format"),
        (("bundle",), 1, "$.bundle"),
        (("policies",), {}, "$.policies"),
        (("policies",), [], "$.policies"),
        (("default_policy",), "q", "$.default_policy"),
        (("default_policy",), ["p"], "$.default_policy"),
        (("bindings",), KeyError, "$.bindings"),
        (("bindings", 0, "policy"), "q", "$.bindings[0].policy"),
        (("bindings", 0, "agents"), "crm-*", "$.bindings[0].agents"),
        (("policies", "p", "default_verdict"), "pending_approval", "$.policies.p.default_verdict"),
        (("policies", "p", "shadow"), "no", "$.policies.p.shadow"),
        ((*RULE, "verdict"), "cap_cost", "$.policies.p.rules[0]"),
        ((*RULE, "verdict"), "cap", "$.policies.p.rules[0].verdict"),
        ((*RULE, "verdict"), ["deny"], "$.policies.p.rules[0].verdict"),
        ((*RULE, "priority"), 1.5, "$.policies.p.rules[0].priority"),
        ((*RULE, "priority"), True, "$.policies.p.rules[0].priority"),
        ((*RULE, "stages"), ["nowhere"], "$.policies.p.rules[0].stages"),
        ((*RULE, "tools"), [], "$.policies.p.rules[0].tools"),
        ((*RULE, "tools"), "a.*", "$.policies.p.rules[0].tools"),
        ((*RULE, "sanitize"), {"presets": ["email"]}, "$.policies.p.rules[0].sanitize"),
        ((*RULE, "egress"), {"deny": ["*"]}, "$.policies.p.rules[0].egress"),
        ((*RULE, "quota"), {"per": "1m"}, "$.policies.p.rules[0]"),
        ((*RULE, "rate"), {"per": "1m"}, "$.policies.p.rules[0]"),
        ((*RULE, "rate"), {"max": 0, "window_seconds": 60, "per": "run"}, "$.policies.p.rules[0]"),
        ((*RULE, "rate"), {"max": True, "window_seconds": 60, "per": "run"}, "$.policies.p.rules[0]"),
        ((*RULE, "rate"), {"max": 1, "window_seconds": 60, "per": "key"}, "$.policies.p.rules[0]"),
        ((*RULE, "sequence"), {"window_seconds": 60, "steps": []}, "$.policies.p.rules[0]"),
        ((*RULE, "sequence"), {"window_seconds": 60, "steps": [{"match": "*"}]}, "$.policies.p.rules[0]"),
        ((*RULE, "cap_cost_cents"), 500, "$.policies.p.rules[0]"),
        ((*RULE, "enforce"), True, "$.policies.p.rules[0]"),
        ((*RULE, "shadow"), "yes", "$.policies.p.rules[0].shadow"),
        ((*RULE, "skills"), [], "$.policies.p.rules[0].skills"),
        ((*RULE, "approval"), {"ttl": 60}, "$.policies.p.rules[0].approval"),
        (("mask",), [["field", "a"]], "$.mask[0]"),
        ((*RULE, "source"), None, "$.policies.p.rules[0].source"),
        ((*RULE, "risk_factors"), [1], "$.policies.p.rules[0].risk_factors"),
        ((*CLAUSE, "op"), "near", "$.policies.p.rules[0].clauses[0].op"),
        ((*CLAUSE, "value"), "x", "$.policies.p.rules[0].clauses[0].value"),
        ((*CLAUSE, "steps"), [["filter"]], "$.policies.p.rules[0].clauses[0].steps"),
        ((*CLAUSE, "not"), None, "$.policies.p.rules[0].clauses[0].not"),
        ((*CLAUSE, "match"), "some", "$.policies.p.rules[0].clauses[0].match"),
        ((*CLAUSE, "on_missing"), True, "$.policies.p.rules[0].clauses[0].on_missing"),
        ((*CLAUSE, "unknown"), "maybe", "$.policies.p.rules[0].clauses[0].unknown"),
        ((*CLAUSE, "examples"), [], "$.policies.p.rules[0].clauses[0]"),
        ((*CLAUSE,), "clause", "$.policies.p.rules[0].clauses[0]"),
    ],
)
def test_a_damaged_plan_is_refused_with_the_place(path, value, place):
    with pytest.raises(PlanError) as refused:
        Plan.load(broken(path, value))
    assert refused.value.path == place


@pytest.mark.parametrize("data", [None, [], "plan", 1, {}])
def test_what_is_no_plan_is_refused(data):
    with pytest.raises(PlanError):
        Plan.load(data)


def test_a_regex_that_re2_refuses_does_not_load():
    with pytest.raises(PlanError, match="lookahead"):
        Plan.load(plan_data([rule(clauses=[clause("$.a", "regex", "(?=x)")])]))


def test_rules_out_of_order_are_refused():
    with pytest.raises(PlanError, match="order of priority"):
        Plan.load(plan_data([rule(priority=2), rule(label="s", priority=1)]))


def test_the_first_binding_that_covers_the_agent_wins():
    other = copy.deepcopy(GOOD["policies"]["p"])
    bindings = [{"agents": ["crm-ro*"], "policy": "q"}, {"agents": ["crm-*"], "policy": "p"}]
    data = GOOD | {"policies": {"p": GOOD["policies"]["p"], "q": other}, "bindings": bindings}
    loaded = Plan.load(data | {"default_policy": None})
    assert loaded.policy_for("crm-robot").name == "q"
    assert loaded.policy_for("crm-7").name == "p"
    assert loaded.policy_for("payments") is None
    assert loaded.policy_for(None) is None
    assert Plan.load(data).policy_for("payments").name == "p"
