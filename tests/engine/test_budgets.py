"""Rules in shadow, for skills, and with budgets."""

import pytest
from builders import clause, plan, rule

from policyc.engine.evaluate import Evaluator
from policyc.engine.explain import Trace
from policyc.engine.model import Call

RATE = {"rate": {"max": 2, "window_seconds": 60, "per": "agent"}}
STEPS = [
    {"match": "crm.*", "min_count": 2, "egress": False},
    {"match": "*.export", "min_count": 1, "egress": False},
]
SEQUENCE = {"sequence": {"window_seconds": 600, "steps": STEPS}}


def decided(rules, call, counted=None, **changes):
    for part in call.parts:
        part.counted = counted or {}
    return Evaluator(plan(rules, **changes)).decide(call)


@pytest.mark.parametrize(
    ("skills", "skill", "verdict"),
    [
        (["community.*"], "community.x", "deny"),
        (["community.*"], "billing", "allow"),
        (["community.*"], None, "allow"),
        (["a", "b*"], "b1", "deny"),
        (["*"], None, "deny"),
        ([""], None, "deny"),
        ([""], "x", "deny"),
        (["C"], "c", "allow"),
    ],
)
def test_a_rule_is_for_the_skills_that_its_globs_cover(skills, skill, verdict):
    assert decided([rule(skills=skills)], Call("t", skill=skill)).verdict == verdict


def test_a_rule_in_shadow_leaves_the_decision_to_the_rules_after_it():
    shadowed = rule(label="new", shadow=True, tools=["a*"])
    held = rule("pending_approval", label="old", priority=2, tools=["ab"])
    noted = decided([shadowed, held], Call("a"))
    assert (noted.rule, noted.verdict, noted.would_be, noted.shadow) == ("new", "audit", "deny", True)
    assert noted.reason.startswith("[shadow] would deny: ")
    assert decided([shadowed, held], Call("ab")).verdict == "pending_approval"
    assert decided([shadowed], Call("a"), default="deny").verdict == "deny"


def test_of_several_rules_in_shadow_the_strictest_is_heard():
    rules = [rule("audit", label="a", shadow=True), rule(label="b", priority=2, shadow=True)]
    assert decided(rules, Call("t")).rule == "b"


def test_shadow_of_one_part_of_a_call_does_not_hide_what_another_part_does():
    call = Call("a")
    call.more = (Call("b"),)
    rules = [rule(label="new", shadow=True, tools=["a"]), rule(label="old", priority=2, tools=["b"])]
    assert (decided(rules, call).rule, decided(rules, call).verdict) == ("old", "deny")


@pytest.mark.parametrize(("seen", "verdict"), [(1, "allow"), (2, "allow"), (3, "deny"), (None, "deny")])
def test_a_rate_matches_beyond_its_maximum_and_may_match_where_nobody_counted(seen, verdict):
    outcome = decided([rule(**RATE)], Call("t"), {} if seen is None else {"r": seen})
    assert outcome.verdict == verdict
    if seen is None:
        assert outcome.reason_code == "budget_unknown"


def test_an_unknown_budget_counts_like_any_other_doubt():
    rules = [rule("audit", **RATE), rule("pending_approval", label="s", priority=2)]
    assert decided(rules, Call("t")).rule == "s"
    flagged = decided([rule("audit", **RATE)], Call("t"))
    assert (flagged.verdict, flagged.reason_code) == ("audit", "budget_unknown")


def test_a_cap_denies_and_says_what_was_spent():
    capped = rule("cap_cost", label="cap", stages=["mcp"], cap_cost_cents=500, reason="Too dear.")
    outcome = decided([capped], Call("t"), {"cap": 700})
    assert (outcome.verdict, outcome.rule) == ("deny", "cap")
    assert outcome.reason == "Too dear. (the run has spent 700 cents, the cap is 500)"
    assert decided([capped], Call("t"), {"cap": 500}).verdict == "allow"


def test_a_sequence_acts_on_its_last_step_alone_and_when_it_is_enforced():
    for data, verdict in ((SEQUENCE, "audit"), (SEQUENCE | {"enforce": True}, "deny")):
        outcomes = [
            decided([rule(**data)], Call("db.export"), {"r": 3}),
            decided([rule(**data)], Call("db.export"), {"r": 0}),
            decided([rule(**data)], Call("crm.read"), {"r": 2}),
            decided([rule(**data)], Call("fs.read")),
        ]
        assert [outcome.verdict for outcome in outcomes] == [verdict, "allow", "allow", "allow"]


def test_a_rate_counts_what_it_is_about_whichever_rule_decides():
    evaluator = Evaluator(
        plan([rule("allow", label="first"), rule(priority=2, **RATE, clauses=[clause("$.a", "eq", 1)])])
    )
    assert [counted.label for counted in evaluator.counting(Call("t", {"a": 1}))] == ["r"]
    assert not evaluator.counting(Call("t", {"a": 2}))
    assert not evaluator.counting(Call("t", {"a": 1}), "other policy")


def test_a_sequence_counts_its_steps_at_the_stages_of_the_rule():
    data = rule(stages=["mcp", "egress"], tools=["*.export"], **SEQUENCE)
    counted = Evaluator(plan([data])).counting

    def steps(call):
        return [one.steps for one in counted(call)]

    assert steps(Call("crm.read")) == [[1, 2]]
    assert steps(Call("crm.export")) == [[1, 2, 3]]
    assert not steps(Call("crm.read", {}, "hook"))
    assert not steps(Call("fs.read"))


def test_what_several_parts_do_is_one_call():
    call = Call("fs.read")
    call.more = (Call("crm.read"), Call("crm.list"))
    assert [one.steps for one in Evaluator(plan([rule(**SEQUENCE)])).counting(call)] == [[1, 2]]


def test_explain_shows_what_a_budget_saw():
    rules = [rule(label="slow", **RATE), rule(label="fast", priority=2, **RATE), rule(priority=3, **RATE)]
    call, trace = Call("t"), Trace()
    call.counted = {"slow": 2, "fast": 3}
    Evaluator(plan(rules)).explain(call, trace)
    assert trace.lines() == [
        'passed over  1  "slow"  policies/p.yaml:3',
        "    rate: call 2 of this agent within 60 s, 2 may pass",
        'matched  2  "fast"  policies/p.yaml:3',
        "    rate: call 3 of this agent within 60 s, 2 may pass",
    ]
    first, second = trace.documents()
    assert first["failed"] == {"condition": "budget", "wanted": 2, "saw": [2]}
    assert second["budget"] == {
        "kind": "rate",
        "limit": 2,
        "window_seconds": 60,
        "reached": True,
        "saw": 3,
    }
    call.counted, trace = {}, Trace()
    Evaluator(plan(rules[:1])).explain(call, trace)
    assert trace.lines()[1] == "    rate: nobody counted"
    assert trace.documents()[0]["matched"] is None
