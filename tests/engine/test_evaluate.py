import json
import random
import threading

import pytest
from builders import clause, plan, plan_data, rule
from hypothesis import given, settings
from hypothesis import strategies as st

from policyc.engine import evaluate
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import RULE_VERDICTS, STAGES, Call
from policyc.engine.plan import Plan
from policyc.engine.walk import Reporter, decide

NAMES = ["shell.exec", "shell", "crm.get_contact", "crm.get", "db.query", "a.shell.b", "", "é", "x\ud800"]
GLOBS = ["shell.*", "*.exec", "*", "", "crm.get*", "db.query", "*.shell.*", "c*m.*", "é", "x*"]
PATHS = ["$", "$.a", "$.b", "$.a.b", "$.a[0]", "$.a[*]", "$..b", "$['a b']", "$.*"]

STEP = {"match": "crm.*", "min_count": 2, "egress": False}
SEQUENCE = {"window_seconds": 60, "steps": [STEP, STEP | {"match": "*", "min_count": 1}]}
BUDGETS = [
    {},
    {},
    {},
    {"rate": {"max": 2, "window_seconds": 60, "per": "agent"}},
    {"sequence": SEQUENCE},
    {"sequence": SEQUENCE, "enforce": True},
]

LINES = ["rm -rf /", "ls; rm a", "$x y", "cat /etc/passwd", "git status", "echo $(", "", "https://10.1.2.3/x"]
UNSURE = ("path", "host", "shell")

json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=6),
        st.sampled_from(["10.1.2.3", "\ud800", *LINES]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b", "a b", "c"]), inner, max_size=3),
    ),
    max_leaves=8,
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.floats(allow_nan=False), st.text("ab", max_size=2)
)
values = {
    "eq": scalars,
    "contains": st.text("ab", max_size=2),
    "regex": st.sampled_from(["a", "^a?b*$", "(?i)B", "", "[^a]", "\\d+"]),
    "in": st.lists(scalars, max_size=3),
    "cidr_match": st.sampled_from(["10.0.0.0/8", "::/0", ["192.168.0.0/16", "10.1.2.3"]]),
    "gt": st.integers(-2, 2),
    "lt": st.floats(-2, 2),
    "gte": st.integers(-2, 2),
    "lte": st.integers(-2, 2),
    "starts_with": st.text("ab", max_size=2),
    "ends_with": st.text("ab", max_size=2),
    "exists": st.booleans(),
    "path": st.sampled_from(["**/.env", "/etc/**", ["a", "~/b"], "./**"]),
    "host": st.sampled_from(["*.example.com", "10.0.0.0/8", ["a.b", "*"]]),
    "shell": st.sampled_from(
        [
            {"program": "rm"},
            {"program": ["git", "ls"]},
            {"deletes": "**"},
            {"dynamic": True},
            {"any_flag": "-f"},
        ]
    ),
}


@st.composite
def clauses(draw):
    op = draw(st.sampled_from([*values, "regex", "regex"]))
    return clause(
        draw(st.sampled_from(PATHS)),
        op,
        draw(values[op]),
        match=draw(st.sampled_from(["any", "all"])),
        on_missing=draw(st.sampled_from(["match", "no_match"])),
        unknown=draw(st.sampled_from(["match", "no_match", None, None])) if op in UNSURE else None,
        **{"not": draw(st.booleans())},
    )


@st.composite
def rules_of(draw, n):
    verdict = draw(st.sampled_from(RULE_VERDICTS))
    budget = {"cap_cost_cents": 2} if verdict == "cap_cost" else draw(st.sampled_from(BUDGETS))
    if verdict == "allow":
        budget = {}
    egress = draw(st.sampled_from([None, None, {"allow": ["*.example.com"], "deny": ["10.0.0.0/8"]}]))
    stages = draw(st.one_of(st.none(), st.lists(st.sampled_from(STAGES), min_size=1, max_size=2)))
    if verdict == "cap_cost":
        egress, stages = None, draw(st.lists(st.sampled_from(["mcp", "hook", "inbound"]), min_size=1))
    return rule(
        verdict,
        **budget,
        shadow=verdict != "allow" and draw(st.sampled_from([False, False, True])),
        skills=draw(st.sampled_from([None, None, ["*"], [""], ["a.*", "b"]])),
        label=f"r{n}",
        priority=n // 2,
        sanitize={"presets": ["email"]} if verdict == "sanitize" else None,
        egress=egress,
        stages=stages if egress is None else ["egress"],
        tools=draw(st.one_of(st.none(), st.lists(st.sampled_from(GLOBS), min_size=1, max_size=2))),
        clauses=draw(st.lists(clauses(), max_size=3)),
    )


@st.composite
def plans(draw):
    rules = [draw(rules_of(n)) for n in range(draw(st.integers(0, 8)))]
    return Plan.load(
        plan_data(
            rules, default=draw(st.sampled_from(["allow", "audit", "deny"])), shadow=draw(st.booleans())
        )
    )


def made(*parts, counted=(), **more):
    call = Call(*parts, **more)
    call.counted = dict(counted)
    return call


calls = st.builds(
    made,
    st.one_of(st.sampled_from(NAMES), st.text(max_size=5)),
    st.one_of(
        st.dictionaries(st.sampled_from(["a", "b", "a b", "command", "url"]), json_values, max_size=3),
        json_values,
    ),
    st.sampled_from(STAGES),
    canonical=st.one_of(st.none(), st.sampled_from(NAMES)),
    skill=st.sampled_from([None, "", "a.x", "b", "c"]),
    counted=st.dictionaries(st.sampled_from([f"r{n}" for n in range(8)]), st.integers(0, 4), max_size=8),
)


def facts(outcome):
    return {slot: getattr(outcome, slot) for slot in outcome.__slots__}


@settings(max_examples=600)
@given(plans(), st.lists(calls, min_size=1, max_size=4))
def test_the_fast_evaluator_is_the_plain_walk(loaded, some_calls):
    evaluator = Evaluator(loaded)
    for call in some_calls + some_calls:  # twice: from a cold and from a warm cache
        assert facts(evaluator.decide(call)) == facts(decide(loaded.policy_for(None), call))


@given(plans(), calls)
def test_explaining_does_not_change_the_outcome(loaded, call):
    class Counting(Reporter):
        considered = matched = 0

        def rule_failed(self, *_facts):
            self.considered += 1

        rule_unknown = rule_failed

        def rule_matched(self, rule, _saw):
            self.considered += rule.shadow
            self.matched += not rule.shadow

    reporter = Counting()
    evaluator = Evaluator(loaded)
    assert facts(evaluator.explain(call, reporter)) == facts(evaluator.decide(call))
    assert reporter.matched <= 1
    unheard = call.stage == "egress" and not reporter.considered  # no destination: closed before any rule
    assert reporter.matched or unheard or reporter.considered == len(loaded.policies["p"].rules)


@given(json_values)
def test_arguments_of_any_shape_are_decided(args):
    loaded = plan([rule(clauses=[clause(path, "regex", "a", match="all")]) for path in PATHS])
    assert Evaluator(loaded).decide(Call("t", args)).verdict in ("deny", "allow")


def test_shadow_downgrades_and_says_what_it_would_have_done():
    shadowed = Evaluator(
        plan([rule("pending_approval", tools=["a"], reason="ask first")], default="deny", shadow=True)
    )
    held, default = shadowed.decide(Call("a")), shadowed.decide(Call("b"))
    assert (held.verdict, held.allowed, held.would_be, held.rule) == ("audit", True, "pending_approval", "r")
    assert held.reason == "[shadow] would pending_approval: ask first"
    assert (default.verdict, default.would_be) == ("audit", "deny")
    assert default.reason.startswith("[shadow] would deny: ")
    allowed = Evaluator(plan([rule("allow")], shadow=True)).decide(Call("a"))
    assert (allowed.verdict, allowed.would_be, allowed.shadow) == ("allow", None, True)


def test_a_hold_for_every_stage_denies_where_nothing_can_wait():
    evaluator = Evaluator(plan([rule("pending_approval", clauses=[clause("$.a", "eq", 1)])]))
    verdicts = {stage: evaluator.decide(Call("t", {"a": 1}, stage)).verdict for stage in STAGES}
    assert verdicts == dict.fromkeys(STAGES, "pending_approval") | {"egress": "deny"}


def test_without_a_policy_the_answer_is_closed():
    loaded = Plan.load(plan_data([rule("allow")]) | {"default_policy": None})
    outcome = Evaluator(loaded).decide(Call("a", agent="someone"))
    assert (outcome.verdict, outcome.reason_code, outcome.policy) == ("deny", "no_policy", None)


def test_agents_get_their_policy():
    data = plan_data([rule("deny")], bindings=[{"agents": ["crm-*"], "policy": "p"}]) | {
        "default_policy": None
    }
    evaluator = Evaluator(Plan.load(data))
    assert evaluator.decide(Call("a", agent="crm-1")).rule == "r"
    assert evaluator.decide(Call("a", agent="x" * 10_000)).reason_code == "no_policy"


def test_invented_names_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(evaluate, "CACHE_SIZE", 8)
    loaded = plan([rule(tools=["shell.*"], clauses=[clause("$.a", "eq", 1)])])
    evaluator = Evaluator(loaded)
    for n in range(100):
        assert evaluator.decide(Call(f"shell.{n}", {"a": 1})).verdict == "deny"
        assert evaluator.decide(Call("shell." + "x" * 1_000 + str(n), {"a": 1})).verdict == "deny"
        assert evaluator.decide(Call("t", agent=f"agent-{n}")).verdict == "allow"
    specialiser = evaluator._by_policy["p"]
    assert len(specialiser.programs) <= 8
    assert len(evaluator._by_agent) <= 8
    assert len(specialiser._shared) == 2


@pytest.mark.parametrize("max_memory", [1 << 12, 1 << 15])
def test_patterns_too_large_for_one_automaton_still_decide(monkeypatch, max_memory):
    pytest.importorskip("re2")
    monkeypatch.setattr("policyc.engine.regex_re2.MAX_MEMORY", max_memory)
    patterns = [f"(?i)[a-q]{{20,40}}{letter}" for letter in "rstuvwxyz"]
    loaded = plan([rule(label=str(n), clauses=[clause("$.a", "regex", p)]) for n, p in enumerate(patterns)])
    text = "".join(random.Random(7).choices("abcdefghijklmnopq", k=5_000)) + "z"
    assert Evaluator(loaded).decide(Call("t", {"a": text})).rule == "8"


def test_one_evaluator_serves_many_threads():
    rules = [
        rule(label=str(n), priority=n, tools=[f"t{n}.*"], clauses=[clause("$.a", "regex", f"x{n}$")])
        for n in range(50)
    ]
    evaluator = Evaluator(plan(rules))
    wrong = []

    def work(seed):
        for _ in range(2_000):
            n = random.Random(seed).randrange(50)
            seed += 1
            if evaluator.decide(Call(f"t{n}.{seed % 7}", {"a": f"x{n}"})).rule != str(n):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(seed * 10_000,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_plan_is_plain_json():
    data = plan_data([rule(clauses=[clause("$.a", "in", ["x", 1, None])])])
    assert Plan.load(json.loads(json.dumps(data))).data == data
