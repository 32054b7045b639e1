"""Calls of tools that call other tools are judged by the inner calls as well, on every path to a decision."""

from __future__ import annotations

import pytest
from builders import clause, plan_data, rule, steps

from policyc.engine.calls import read_call
from policyc.engine.evaluate import Evaluator
from policyc.engine.explain import Trace
from policyc.engine.meta_tools import MetaTool, opened
from policyc.engine.model import Call
from policyc.engine.one_call import decide_one
from policyc.engine.plan import Plan, PlanError

RUN = {"tools": ["run_tool"], "name": steps("$.name"), "arguments": steps("$.arguments"), "prefix": ""}
MANY = {
    "tools": ["box.run"],
    "each": steps("$.calls[*]"),
    "name": steps("$.tool"),
    "arguments": steps("$.args"),
    "prefix": "box.",
}
RULES = [
    rule(label="big", tools=["payment.*"], clauses=[clause("$.cents", "gt", 100)]),
    rule(label="no rm", tools=["shell.exec"], clauses=[clause("$.command", "contains", "rm -rf")]),
    rule(label="drop", tools=["box.drop"]),
    rule(label="no drop", tools=["mcp.crm.drop"]),
    rule("allow", label="rest", priority=2),
]


def data(**changes):
    return plan_data(RULES, **{"default": "deny", "meta_tools": [RUN, MANY], **changes})


def verdict(document, plan=None):
    """The rule that decides, or the reason code where none does; the same on every path."""
    plan = plan or data()
    evaluator = Evaluator(Plan.load(plan))
    found = [
        evaluator.decide(read_call(document)),
        evaluator.explain(read_call(document), Trace()),
        decide_one(plan, read_call(document), lambda _part, _links: None),
    ]
    assert len({(one.verdict, one.rule, one.reason_code) for one in found}) == 1
    return found[0].rule or found[0].reason_code


def run(name, arguments=None, **more):
    return {"tool": "run_tool", "args": {"name": name, "arguments": arguments or {}}, **more}


@pytest.mark.parametrize(
    ("document", "decides"),
    [
        (run("payment.refund", {"cents": 5}), "rest"),
        (run("payment.refund", {"cents": 500}), "big"),
        (run("payment.refund", '{"cents": 500}'), "big"),
        (run("mcp.payment.refund", {"cents": 500}), "big"),
        (run("run_tool", {"name": "payment.refund", "arguments": {"cents": 500}}), "big"),
        (run("payment.refund", {"cents": 500}, stage="response"), "big"),
        # What a model answers may be spelt as its API takes names.
        (run("payment__refund", {"cents": 500}, stage="response"), "big"),
        (run("Bash", {"command": "rm -rf /"}, stage="response"), "no rm"),
        (run("mcp__crm__drop", stage="response"), "no drop"),
        # At a hook the inner tool has the canonical name that its agent's tool of this name has.
        (run("Bash", {"command": "rm -rf /"}, stage="hook"), "no rm"),
        (run("mcp__crm__drop", stage="hook"), "no drop"),
        # An advertised tool has no arguments, so it calls nothing yet.
        ({"tool": "run_tool", "stage": "inbound"}, "rest"),
        ({"tool": "box.run", "args": {"calls": [{"tool": "get"}, {"tool": "drop"}]}}, "drop"),
        ({"tool": "box.run", "args": {"calls": [{"tool": "get"}]}}, "rest"),
    ],
)
def test_the_inner_call_decides_where_it_is_stricter(document, decides):
    assert verdict(document) == decides


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"name": 7},
        {"name": ""},
        {"name": ["payment.refund"]},
        {"name": "payment.refund", "arguments": "no JSON"},
        {"name": "payment.refund", "arguments": [1]},
        {"name": "payment.refund", "arguments": '{"cents": 1, "cents": 500}'},
    ],
)
def test_what_does_not_say_which_tool_it_calls_is_denied(args):
    assert verdict({"tool": "run_tool", "args": args}) == "meta_tool_unknown"


@pytest.mark.parametrize("calls", [None, [], [{"tool": "get"}, {"args": {}}], [7]])
def test_every_one_of_several_calls_has_to_be_known(calls):
    assert verdict({"tool": "box.run", "args": {"calls": calls}}) == "meta_tool_unknown"


def test_a_hook_s_inner_call_that_its_tool_cannot_read_is_denied():
    assert verdict(run("Bash", {"cmd": "rm -rf /"}, stage="hook")) == "meta_tool_unknown"


def test_an_answer_s_inner_call_that_could_pass_for_a_built_in_tool_is_denied():
    assert verdict(run("mcp__shell__exec", stage="response")) == "meta_tool_unknown"


def test_no_nesting_and_no_number_of_calls_hides_one():
    nested: dict[str, object] = run("payment.refund", {"cents": 500})["args"]
    for _ in range(20):
        nested = run("run_tool", nested)["args"]
    assert verdict({"tool": "run_tool", "args": nested}) == "meta_tool_unknown"
    calls = [{"tool": "get"}] * 300 + [{"tool": "drop"}]
    assert verdict({"tool": "box.run", "args": {"calls": calls}}) == "meta_tool_unknown"


def test_in_shadow_it_is_only_noted():
    found = Evaluator(Plan.load(data(shadow=True))).decide(read_call({"tool": "run_tool"}))
    assert (found.verdict, found.would_be, found.reason_code) == ("audit", "deny", "meta_tool_unknown")


def test_an_inner_call_is_as_its_outer_one_and_the_call_itself_stays_as_it_was():
    meta = MetaTool(("run_tool",), None, steps("$.name"), steps("$.arguments"), "")
    call = Call("run_tool", run("x.y")["args"], agent="a", run="r", canonical="mcp.s.run_tool", cwd="/w")
    call.counted = {"rule": 3}
    (inner,) = opened([meta], call).more
    assert (inner.tool, inner.canonical, inner.agent, inner.run) == ("x.y", "mcp.x.y", "a", "r")
    assert (inner.cwd, inner.counted) == ("/w", {"rule": 3})
    assert call.more == ()
    other = Call("other")
    assert opened([meta], other) is other


def test_a_budget_counts_the_inner_call():
    rate = rule(label="few", tools=["payment.*"], rate={"max": 1, "window_seconds": 60, "per": "agent"})
    evaluator = Evaluator(Plan.load(plan_data([rate], meta_tools=[RUN])))
    call = read_call(run("payment.refund"))
    assert [one.label for one in evaluator.counting(call)] == ["few"]
    assert evaluator.decide(call).reason_code == "budget_unknown"
    call.counted = {"few": 1}
    assert evaluator.decide(call).verdict == "allow"
    call.counted = {"few": 2}
    assert evaluator.decide(call).rule == "few"


def test_what_an_inner_rule_redacts_is_redacted_in_the_call():
    redact = rule("sanitize", tools=["mail.*"], sanitize={"presets": ["email"], "custom": []})
    evaluator = Evaluator(Plan.load(plan_data([redact], meta_tools=[RUN])))
    assert evaluator.decide(read_call(run("mail.send"))).sanitize == {"presets": ["email"], "custom": []}


@pytest.mark.parametrize(
    "entry",
    [
        {**RUN, "name": None},
        {**RUN, "name": [["script"]]},
        {**RUN, "tools": "run_tool"},
        {**RUN, "server": "x"},
        {key: value for key, value in RUN.items() if key != "prefix"},
        "run_tool",
    ],
)
def test_a_plan_that_says_it_wrongly_is_refused(entry):
    with pytest.raises(PlanError, match=r"\$\.meta_tools\[0\]"):
        Plan.load(data(meta_tools=[entry]))
