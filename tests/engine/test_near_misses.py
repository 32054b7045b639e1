"""Rules that almost matched."""

from builders import clause, plan, rule

from policyc.engine.evaluate import Evaluator
from policyc.engine.explain import Trace
from policyc.engine.model import Call


def near(loaded, call):
    trace = Trace()
    Evaluator(loaded).explain(call, trace)
    steps = [step for step in trace.documents() if step["near_miss"] is not None]
    return sorted(steps, key=lambda step: step["near_miss"]["rank"]), trace


def labels(loaded, call):
    return [step["rule"] for step in near(loaded, call)[0]]


BIG = clause("$.cents", "gt", 100)
EUR = clause("$.currency", "eq", "EUR")


def test_fewer_conditions_that_do_not_hold_are_nearer():
    rules = [
        rule(label="both", priority=1, clauses=[BIG, EUR]),
        rule(label="one", priority=2, clauses=[clause("$.cents", "lt", 100), EUR]),
    ]
    assert labels(plan(rules), Call("pay", {"cents": 5, "currency": "USD"})) == ["one", "both"]


def test_an_argument_that_is_there_is_nearer_than_one_that_is_missing():
    rules = [rule(label="missing", clauses=[EUR]), rule(label="there", priority=2, clauses=[BIG])]
    assert labels(plan(rules), Call("pay", {"cents": 5})) == ["there", "missing"]


def test_rules_about_other_tools_are_no_near_misses():
    rules = [rule(label="other", tools=["crm.*"], clauses=[BIG]), rule(label="stage", stages=["egress"])]
    assert labels(plan(rules), Call("pay", {"cents": 5})) == ["stage"]


def test_all_that_does_not_hold_is_told():
    steps, trace = near(
        plan([rule(label="r", stages=["hook"], clauses=[BIG, EUR])]), Call("pay", {"cents": 5})
    )
    assert [one["condition"] for one in steps[0]["near_miss"]["unmet"]] == ["stage", "clause", "clause"]
    assert trace.near_miss_lines()[1:] == [
        "    stage mcp is not hook",
        "    $.cents gt 100: saw 5",
        '    $.currency eq "EUR": the call has nothing at $.currency',
    ]


def test_of_shell_rules_only_those_about_the_program_are_near():
    def shell(**value):
        return clause("$.command", "shell", value)

    rules = [
        rule(label="git", clauses=[shell(program="git", any_flag=["--force"])]),
        rule(label="root", priority=2, clauses=[shell(program="rm", operand=["/"])]),
    ]
    loaded = plan(rules)
    call = Call("shell.exec", {"command": "rm -r build"})
    steps, trace = near(loaded, call)
    assert [step["rule"] for step in steps] == ["root"]
    unmet = steps[0]["near_miss"]["unmet"][0]
    assert (unmet["met_keys"], unmet["unmet_keys"]) == (["program"], ["operand"])
    assert trace.near_miss_lines()[1] == (
        '    $.command shell {"operand": ["/"]}: saw "rm -r build" (program holds)'
    )


def test_a_rule_that_matches_or_may_match_is_no_near_miss():
    rules = [
        rule(label="unknown", clauses=[clause("$.command", "shell", {"program": "rm"})]),
        rule(label="sure", priority=2),
    ]
    assert labels(plan(rules), Call("shell.exec", {"command": "$x"})) == []
