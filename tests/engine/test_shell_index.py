"""The rules that an index leaves out are those whose clause is certainly false."""

import json

from builders import clause, plan, plan_data, rule
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.clauses import holds
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call
from policyc.engine.one_call import decide_one
from policyc.engine.plan import Plan
from policyc.engine.shell import shell_facts
from policyc.engine.shell_index import add, lookup
from policyc.engine.walk import decide
from policyc.hooks.gate_decision import _with_lines_as_text
from policyc.hooks.gate_files import plan_text

words = st.sampled_from(["push", "-f", "--force", "src", "*", "x*", "!src", "a.env", "-rf", "/etc/passwd"])
flags = st.sampled_from(["-f", "--force", "-r", "-*", "--hard"])
globs = st.sampled_from(["**", "/etc/**", "**/.env", "!/w/**", "~/.ssh/**", "./src/**", "*.env", "/w/src/"])
programs = st.sampled_from(["git", "rm", "cat", "*", "!git", "r*", "sh", "python"])
values = st.fixed_dictionaries(
    {},
    optional={
        "program": programs | st.lists(programs, min_size=1, max_size=3),
        "args": st.sampled_from(["push", "push x*"]) | st.lists(words, min_size=1, max_size=2),
        "all_flags": flags | st.lists(flags, min_size=1, max_size=2),
        "any_flag": flags | st.lists(flags, min_size=1, max_size=2),
        "operand": words | st.lists(words, min_size=1, max_size=2),
        "reads": globs | st.lists(globs, min_size=1, max_size=3),
        "writes": globs,
        "deletes": globs,
        "pipes_to": programs,
        "code": st.sampled_from(["rm", "x|y", "."]),
        "dynamic": st.booleans() | st.sampled_from(["operand", "program", "path"]),
    },
).filter(bool)
commands = st.sampled_from(
    [
        "git push -f",
        "git push origin x1",
        "git -c a=b status",
        "rm -rf src",
        "rm -- -f",
        "cat a.env",
        "cat *.env",
        "cat /w/.e*",
        "python -c 'rm(1)'",
        "echo x",
        "cat ~/.ssh/id",
        "$x",
        "git $x",
        "rm $x -f",
        "sh -c 'rm src'",
        "cp a.env /etc/passwd",
        "grep -r x src",
        "rm -r /w",
        "r? x",
        "'unclosed",
    ]
)
lines = st.lists(commands, min_size=1, max_size=3).flatmap(
    lambda found: st.sampled_from([" | ", "; ", " && "]).map(lambda by: by.join(found))
)
clauses = st.builds(
    lambda value, changes, negated: clause("$.command", "shell", value, **changes, **{"not": negated}),
    values,
    st.fixed_dictionaries(
        {}, optional={"match": st.just("all"), "unknown": st.sampled_from(["match", "no_match"])}
    ),
    st.sampled_from([False, False, True]),
)
others = st.sampled_from([clause("$.command", "regex", "rm|git"), clause("$.command", "contains", "x")])
rules = st.lists(
    st.builds(
        rule,
        st.sampled_from(["allow", "deny", "audit"]),
        tools=st.sampled_from([None, ["shell.exec"], ["fs.*"]]),
        clauses=st.lists(clauses | clauses | others, min_size=1, max_size=2),
    ),
    max_size=6,
)


def asked(line):
    return Call("shell.exec", {"command": line}, cwd="/w", os="linux")


def outcome(found):
    return {name: getattr(found, name) for name in found.__slots__}


@given(rules, lines)
def test_the_evaluator_and_the_gate_decide_as_the_plain_walk(found, line):
    rules = [entry | {"label": f"r{n}"} for n, entry in enumerate(found)]
    data = plan_data(rules, default="audit")
    expected = outcome(decide(Plan.load(data).policies["p"], asked(line)))
    assert outcome(Evaluator(Plan.load(data)).decide(asked(line))) == expected
    body = plan_text(data).split("\n", 1)[1][: -len("\n}\n")]
    gate = decide_one(_with_lines_as_text(body), asked(line), lambda _call, _links: None)
    assert outcome(gate) | {"rule": gate.rule} == expected


@given(clauses, lines)
def test_a_clause_that_is_not_found_is_false(data, line):
    (found,) = plan([rule(clauses=[data])]).policies["p"].rules
    index = {}
    if add(index, found.clauses, 7):
        assert json.loads(json.dumps(index)) == index
        facts = shell_facts(line, cwd="/w", os="linux")
        assert lookup(index, facts) == {7} or holds(found.clauses[0], asked(line)) is False
