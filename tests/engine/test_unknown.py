"""What cannot be known never helps a call through: Kleene logic, and the strictest of what may match."""

import itertools

import pytest
from builders import clause, plan, rule

from policyc.engine.evaluate import Evaluator
from policyc.engine.explain import Trace
from policyc.engine.kleene import all_of, any_of, negated
from policyc.engine.model import Call
from policyc.engine.walk import decide

RM = {"program": "rm"}


def outcome(loaded, command, tool="shell.exec", **call):
    asked = Call(tool, {"command": command}, **call)
    fast = Evaluator(loaded).decide(asked)
    slow = decide(loaded.policies["p"], asked)
    assert (fast.verdict, fast.rule, fast.reason) == (slow.verdict, slow.rule, slow.reason)
    return fast


def shell(value, **changes):
    return clause("$.command", "shell", value, **changes)


@pytest.mark.parametrize("answers", list(itertools.product([True, False, None], repeat=2)))
def test_kleenes_tables(answers):
    known = {answer for answer in answers if answer is not None}
    assert any_of(answers) is (True if True in known else None if None in answers else False)
    assert all_of(answers) is (False if False in known else None if None in answers else True)
    assert negated(any_of(answers)) is all_of([negated(answer) for answer in answers])


def test_a_rule_that_may_match_counts_when_it_is_stricter():
    loaded = plan([rule("deny", label="rm", clauses=[shell(RM)]), rule("allow", label="rest", priority=2)])
    assert outcome(loaded, "rm x").rule == "rm"
    assert outcome(loaded, "ls").rule == "rest"
    assert outcome(loaded, "$tool x").rule == "rm"
    assert outcome(loaded, "ls 'unclosed").rule == "rm"


def test_the_walk_goes_on_past_a_rule_that_may_match():
    rules = [
        rule("allow", label="maybe allow", clauses=[shell({"program": "ls"}, match="all")]),
        rule("pending_approval", label="maybe hold", priority=2, clauses=[shell(RM)]),
        rule("deny", label="certain", priority=3, tools=["shell.*"]),
        rule("allow", label="never reached", priority=4),
    ]
    assert outcome(plan(rules), "$x").rule == "certain"
    assert outcome(plan(rules[:2], default="audit"), "$x").rule == "maybe hold"
    assert outcome(plan(rules[:1], default="deny"), "$x").verdict == "deny"


def test_of_equal_verdicts_the_first_rule_is_named():
    rules = [rule("deny", label=label, clauses=[shell({"program": label})]) for label in ("rm", "mv")]
    assert outcome(plan(rules), "$x").rule == "rm"


@pytest.mark.parametrize(("unknown", "verdict"), [("match", "deny"), ("no_match", "allow"), (None, "deny")])
def test_an_author_may_settle_what_cannot_be_known(unknown, verdict):
    loaded = plan([rule("deny", clauses=[shell(RM, unknown=unknown)])])
    assert outcome(loaded, "$x").verdict == verdict


def test_an_unknown_clause_beside_a_false_one_is_false():
    loaded = plan([rule("deny", clauses=[shell(RM), clause("$.command", "contains", "prod")])])
    assert outcome(loaded, "$x").verdict == "allow"
    assert outcome(loaded, "$x prod").verdict == "deny"


def test_an_allow_must_hold_for_every_command_of_the_line():
    git = rule("allow", clauses=[shell({"program": "git", "args": ["status"]}, match="all")])
    loaded = plan([git], default="deny")
    assert outcome(loaded, "git status").verdict == "allow"
    assert outcome(loaded, "git status; curl x | sh").verdict == "deny"
    assert outcome(loaded, "git status $(rm -rf /)").verdict == "deny"


def test_not_negates_each_command_before_the_quantifier():
    loaded = plan([rule("allow", clauses=[shell(RM, match="all", **{"not": True})])], default="deny")
    assert outcome(loaded, "ls; cat x").verdict == "allow"
    assert outcome(loaded, "ls; rm x").verdict == "deny"
    assert outcome(loaded, "$x").verdict == "deny"
    some = plan([rule("deny", clauses=[shell(RM, match="any", **{"not": True})])])
    assert outcome(some, "rm x; ls").verdict == "deny"
    assert outcome(some, "rm x; rm y").verdict == "allow"


def test_one_rule_on_a_path_covers_the_tool_and_the_command_line():
    loaded = plan([rule("deny", tools=["fs.*", "shell.*"], clauses=[clause("$.path", "path", "**/.env")])])
    for args in ({"path": "/w/a/../.env"}, {"path": "file:///w/.env"}):
        assert Evaluator(loaded).decide(Call("fs.read", args)).verdict == "deny"
    for line in ("cat .env", "grep x < /w/.env", "echo x | tee .env", "cp .env /tmp", "cat $file"):
        assert outcome(loaded, line, cwd="/w").verdict == "deny", line
    assert outcome(loaded, "cat env.txt", cwd="/w").verdict == "allow"
    assert Evaluator(loaded).decide(Call("fs.read", {"path": "/w/env"})).verdict == "allow"


def test_a_path_is_also_what_links_lead_to():
    loaded = plan([rule("deny", clauses=[clause("$.path", "path", "/etc/**")])])
    call = Call("fs.read", {"path": "/w/harmless"}, realpaths=["/etc/shadow"])
    assert Evaluator(loaded).decide(call).verdict == "deny"


@pytest.mark.parametrize(
    ("url", "verdict"),
    [
        ("http://169.254.169.254/latest", "deny"),
        ("http://0xa9fe0001/", "deny"),
        ("http://[::ffff:169.254.169.254]/", "deny"),
        ("https://api.example.com/", "allow"),
        ("http://exa mple\\@x", "deny"),
    ],
)
def test_a_host_that_cannot_be_read_is_taken_for_one_that_is_meant(url, verdict):
    loaded = plan([rule("deny", clauses=[clause("$.url", "host", ["169.254.0.0/16"])])])
    assert Evaluator(loaded).decide(Call("http.fetch", {"url": url})).verdict == verdict


def egress(verdict, **lists):
    return rule(verdict, stages=["egress"], egress=lists)


@pytest.mark.parametrize(
    ("args", "verdict"),
    [
        ({"url": "https://api.example.com/x"}, "allow"),
        ({"host": "API.example.com."}, "allow"),
        ({"ip": "10.1.2.3"}, "deny"),
        ({"destination": "elsewhere.example.org"}, "deny"),
        ({}, "deny"),
        ({"url": 7}, "deny"),
    ],
)
def test_egress_is_closed_when_it_does_not_say_where_it_goes(args, verdict):
    loaded = plan([egress("allow", allow=["api.example.com"], deny=["10.0.0.0/8"])], default="deny")
    call = Call("net", args, "egress")
    assert Evaluator(loaded).decide(call).verdict == verdict
    assert decide(loaded.policies["p"], call).verdict == verdict
    silent = Evaluator(plan([rule("allow")])).decide(Call("net", {}, "egress"))
    assert (silent.verdict, silent.reason_code) == ("deny", "no_destination")


def test_sanitize_passes_where_arguments_can_be_rewritten_and_denies_elsewhere():
    loaded = plan([rule("sanitize", sanitize={"presets": ["email"]})])
    verdicts = {
        stage: Evaluator(loaded).decide(Call("t", {"host": "a.example"}, stage)).verdict
        for stage in ("inbound", "response", "mcp", "hook", "egress")
    }
    assert verdicts == {
        "inbound": "deny",
        "response": "sanitize",
        "mcp": "sanitize",
        "hook": "deny",
        "egress": "deny",
    }


def test_shadow_rewrites_nothing():
    loaded = plan([rule("sanitize", sanitize={"presets": ["email"]})], shadow=True)
    found = Evaluator(loaded).decide(Call("t"))
    assert (found.verdict, found.would_be, found.sanitize) == ("audit", "sanitize", None)


def test_shadow_compares_what_would_have_been():
    rules = [rule("deny", label="maybe", clauses=[shell(RM)]), rule("audit", label="sure", priority=2)]
    found = outcome(plan(rules, shadow=True), "$x")
    assert (found.verdict, found.would_be, found.rule) == ("audit", "deny", "maybe")


def test_explain_says_what_cannot_be_known():
    loaded = plan([rule("deny", clauses=[shell(RM)])])
    trace = Trace()
    Evaluator(loaded).explain(Call("shell.exec", {"command": "$x"}), trace)
    assert trace.documents()[0]["matched"] is None
    assert "may match" in trace.lines()[0]
    assert "cannot be known" in trace.lines()[1]


def test_the_facts_of_a_line_are_derived_once():
    evaluator = Evaluator(plan([rule("deny", clauses=[shell(RM)])]))
    call = Call("shell.exec", {"command": "git status"})
    evaluator.decide(call)
    first = call.facts
    evaluator.decide(call)
    assert call.facts is first
