import pytest

from policyc.bench.scenarios import by_name, by_regex
from policyc.engine.plan import Plan
from policyc.engine.walk import decide


@pytest.mark.parametrize("make", [by_name, by_regex])
@pytest.mark.parametrize("rules", [10, 300])
def test_the_plain_walk_agrees_with_what_a_scenario_says(make, rules):
    scenario = make(rules, calls=60, tools=20)
    policy = Plan.load(scenario.plan).policy_for(None)
    assert [decide(policy, made.call).rule for made in scenario.calls] == [
        made.rule for made in scenario.calls
    ]


def test_every_other_call_of_a_tool_matches_an_expression():
    scenario = by_regex(100, calls=80, tools=20)
    rules = [made.rule for made in scenario.calls if made.call.tool == scenario.calls[0].call.tool]
    assert [rule is None for rule in rules] == [True, False, True, False]


@pytest.mark.parametrize("make", [by_name, by_regex])
def test_calls_are_distinct(make):
    calls = [repr((made.call.tool, made.call.args)) for made in make(10, calls=500, tools=50).calls]
    assert len(set(calls)) == 500
