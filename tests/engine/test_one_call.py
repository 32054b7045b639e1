"""One call from plan data is decided as the evaluator decides it."""

import json
from pathlib import Path

import pytest
from builders import clause, plan_data, rule
from hypothesis import given
from hypothesis import strategies as st

from policyc.building import compile_path
from policyc.engine.calls import read_call
from policyc.engine.documents import dump, parse_own
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import STAGES, Call
from policyc.engine.one_call import decide_one
from policyc.engine.plan import Plan, PlanError

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases/seed_firewall.jsonl").read_text("utf-8").splitlines()
]


def facts(outcome):
    return {name: getattr(outcome, name) for name in outcome.__slots__}


def nothing(_call, _links):
    pass


def test_the_seeds_cases_are_decided_alike(tmp_path):
    file = tmp_path / "policy.json"
    for case in CASES:
        file.write_text(json.dumps(case["policy"]), "utf-8")
        data = compile_path(file).data
        expected = Evaluator(Plan.load(data)).decide(read_call(case["call"]))
        found = decide_one(parse_own(dump(data)), read_call(case["call"]), nothing)
        assert facts(found) == facts(expected)
        assert found.verdict == case["expect"]["verdict"]


names = st.sampled_from(["a.read", "a.write", "b", "shell.exec", "fs.read"])
clauses = st.sampled_from(
    [
        clause("$.path", "eq", "x"),
        clause("$.path", "path", "/w/**"),
        clause("$.command", "shell", {"program": "rm"}),
        clause("$.command", "contains", "rm"),
        clause("$.n", "gt", 3),
        clause("$..n", "exists", True),
    ]
)
rules = st.builds(
    rule,
    st.sampled_from(["allow", "audit", "deny", "pending_approval"]),
    tools=st.none() | st.lists(names | st.sampled_from(["a.*", "*", "*.read"]), min_size=1, max_size=2),
    stages=st.none() | st.lists(st.sampled_from(STAGES), min_size=1, unique=True),
    clauses=st.lists(clauses, max_size=2),
)
calls = st.builds(
    Call,
    names,
    st.fixed_dictionaries(
        {},
        optional={
            "path": st.sampled_from(["x", "/w/x", "../x"]),
            "command": st.sampled_from(["rm x", "ls", "$x"]),
            "n": st.integers(0, 6),
        },
    ),
    st.sampled_from(STAGES),
    st.sampled_from([None, "a-1"]),
)


@given(st.lists(rules, max_size=5), st.lists(rules, max_size=3), calls, st.lists(calls, max_size=2))
def test_any_call_is_decided_alike(own, bound, call, more):
    policies = {"p": plan_data(own)["policies"]["p"], "q": plan_data(bound, default="deny")["policies"]["p"]}
    data = plan_data([], policies=policies, bindings=[{"agents": ["a-*"], "policy": "q"}])
    for part in more:
        part.agent = call.agent
    call.more = tuple(more)
    assert facts(decide_one(data, call, nothing)) == facts(Evaluator(Plan.load(data)).decide(call))


def test_without_a_policy_it_denies():
    assert decide_one(plan_data([], default_policy=None), Call("a"), nothing).reason_code == "no_policy"


def test_the_disk_is_asked_where_a_rule_is_about_files():
    asked = []
    data = plan_data([rule(tools=["a"], clauses=[clause("$.path", "path", "/x")]), rule(tools=["b"])])
    decide_one(data, Call("b"), lambda *looked: asked.append(looked))
    assert asked == []
    call = Call("a", {"path": "y"})
    assert (
        decide_one(
            data, call, lambda found, links: setattr(found, "realpaths", ["/x"] if links else [])
        ).verdict
        == "deny"
    )


BROKEN = [
    {"format": 2},
    {"policies": {}},
    {"policies": {"p": 1}},
    {"default_policy": "gone"},
    {"bindings": [{"agents": "x", "policy": "p"}]},
]


@pytest.mark.parametrize("changes", BROKEN, ids=str)
def test_a_plan_that_cannot_be_used_is_refused(changes):
    with pytest.raises(PlanError):
        decide_one(plan_data([rule()]) | changes, Call("a"), nothing)


@pytest.mark.parametrize(
    "changes", [{"tools": "a"}, {"verdict": "maybe"}, {"new": 1}, {"clauses": {}}, {"stages": ["x"]}], ids=str
)
def test_a_rule_that_cannot_be_used_is_refused(changes):
    with pytest.raises(PlanError):
        decide_one(plan_data([rule() | changes]), Call("a", {}, "x"), nothing)


def test_rules_after_the_one_that_decides_are_not_read():
    data = plan_data([rule("allow"), rule() | {"verdict": "maybe"}])
    assert decide_one(data, Call("a"), nothing).verdict == "allow"
