"""What is always denied, and what only seems to be."""

import pytest
from builders import clause, plan_data, rule
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.dialects import load
from policyc.engine.globs import matches
from policyc.engine.plan import Plan
from policyc.engine.walk import decide
from policyc.hooks.native.names import covers, may_touch
from policyc.hooks.native.prefixes import prefixes
from policyc.hooks.native.proof import Subject, undenied
from policyc.hooks.native.statements import Statement, statements

CLAUDE = load("claude-code")
FETCH = Subject(("WebFetch", "http.fetch"))


def why(*rules, subject=FETCH, default="audit", **changes):
    return undenied(plan_data(list(rules), default=default, **changes), subject)


def test_a_rule_without_conditions_denies():
    assert why(rule(tools=["http.*"])) is None
    assert why(rule(tools=["WebFetch"], stages=["hook", "mcp"])) is None
    assert why(rule()) is None
    assert why(default="deny") is None


def test_a_condition_a_stage_or_another_verdict_leaves_it_open():
    assert why(rule(clauses=[clause("$.url", "contains", "x")])) == 'policy "p" does not always deny it'
    assert why(rule(stages=["mcp"])) is not None
    assert why(rule("pending_approval")) == '"r" (pending_approval) may decide before it in policy "p"'
    assert why(rule(tools=["mcp.*"])) is not None


@pytest.mark.parametrize("verdict", ["allow", "audit", "pending_approval", "sanitize"])
def test_a_rule_that_may_come_first_leaves_it_open(verdict):
    more = {"sanitize": {"presets": ["aws_access_key"]}} if verdict == "sanitize" else {}
    first = rule(
        verdict, tools=["*.fetch"], clauses=[clause("$.url", "eq", "https://a")], label="first", **more
    )
    assert why(first, rule()) == f'"first" ({verdict}) may decide before it in policy "p"'
    assert why(first, default="deny") is not None
    assert why(rule(), first) is None
    assert why(rule(tools=["crm.*"]), first | {"tools": ["crm.*"]}, rule()) is None
    assert why(first | {"stages": ["mcp"]}, rule()) is None


def test_another_deny_may_come_first():
    assert why(rule(clauses=[clause("$.url", "eq", "x")]), rule()) is None


def test_shadow_denies_nothing():
    assert why(rule(), shadow=True) == 'policy "p" is in shadow'


def test_every_policy_that_may_govern_must_deny():
    data = plan_data([rule()])
    data["policies"]["q"] = plan_data([], default="audit")["policies"]["p"]
    assert undenied(data, FETCH) is None
    data["bindings"] = [{"agents": ["x"], "policy": "q"}]
    assert undenied(data, FETCH) == 'policy "q" does not always deny it'
    data["default_policy"] = None
    data["bindings"] = []
    assert undenied(data, FETCH) == "no policy governs"


SERVER = Subject(("mcp.crm.*",), ("mcp__crm__*",))


def test_a_server_is_denied_only_with_all_of_its_tools():
    assert why(rule(tools=["mcp.crm.*"]), subject=SERVER) is None
    assert why(rule(tools=["mcp.*"]), subject=SERVER) is None
    assert why(rule(tools=["mcp.crm.get*"]), subject=SERVER) is not None
    get = rule("allow", tools=["mcp.crm.get*"], label="get")
    assert why(get, rule(tools=["mcp.crm.*"]), subject=SERVER) is not None
    native = rule("allow", tools=["mcp__crm__get"], label="get")
    assert why(native, rule(tools=["mcp.crm.*"]), subject=SERVER) is not None
    other = rule("allow", tools=["mcp.github.*"], label="get")
    assert why(other, rule(tools=["mcp.crm.*"]), subject=SERVER) is None


names = st.text("ab.", max_size=5)
globs = st.text("ab.*", max_size=5)


@given(globs, globs.filter(bool), names)
def test_covering_and_touching_hold_for_every_name(glob, group, name):
    if matches(group, name):
        if covers(glob, group):
            assert matches(glob, name)
        if matches(glob, name):
            assert may_touch(glob, group)


verdicts = st.sampled_from(["allow", "audit", "deny", "pending_approval"])
tools = st.none() | st.lists(
    st.sampled_from(["*", "http.*", "WebFetch", "fs.*", "Read", "Write", "shell.exec", "Bash", "mcp.*"]),
    min_size=1,
    max_size=2,
)
conditions = st.sampled_from([[], [clause("$.path", "contains", "x")], [clause("$.url", "exists", True)]])
rules = st.builds(
    lambda verdict, tools, clauses, stages: rule(verdict, tools=tools, clauses=clauses, stages=stages),
    verdicts,
    tools,
    conditions,
    st.sampled_from([None, ["hook"], ["mcp"]]),
)
ARGUMENTS = (
    ("Bash", {"command": "ls x"}),
    ("PowerShell", {"command": "ls"}),
    ("Read", {"file_path": "x"}),
    ("Read", {"file_path": "y"}),
    ("Write", {"file_path": "x", "content": ""}),
    ("Edit", {"file_path": "y"}),
    ("WebFetch", {"url": "https://x"}),
)


@given(st.lists(rules, max_size=4), st.sampled_from(["allow", "audit", "deny"]), st.booleans())
def test_what_is_stated_is_denied_whatever_the_arguments(rules, default, shadow):
    data = plan_data(rules, default=default, shadow=shadow)
    said, _ = statements(data, CLAUDE)
    policy = Plan.load(data).policy_for(None)
    for name, args in ARGUMENTS:
        if Statement(name) in said:
            assert decide(policy, CLAUDE.call(name, args)).verdict == "deny"


def shell(**value):
    return [clause("$.command", "shell", value)]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"program": "rm"}, [("rm",)]),
        ({"program": "sudo"}, [("sudo",)]),
        ({"program": ["npm", "pnpm"], "args": "publish"}, [("npm", "publish"), ("pnpm", "publish")]),
        ({"program": "git", "args": ["stash", ["drop"]]}, [("git", "stash", "drop")]),
        # What follows decides, or where it stands does.
        ({"program": "git", "args": ["push"], "any_flag": "--force"}, None),
        ({"program": "rm", "operand": "/"}, None),
        ({"args": ["push"]}, None),
        ({"program": "rm*"}, None),
        ({"program": ["git", "!git"]}, None),
        ({"program": "git", "args": ["push*"]}, None),
        ({"program": "/bin/rm"}, None),
        # The agent's own wrapper, and programs that only run another.
        ({"program": "bash"}, None),
        ({"program": "pwsh.exe"}, None),
        ({"program": "env"}, None),
        ({"program": "timeout"}, None),
        ({"program": "nohup"}, None),
    ],
)  # fmt: skip
def test_prefixes(value, found):
    assert prefixes(shell(**value)) == found


@pytest.mark.parametrize(
    "changes",
    [
        {"not": True},
        {"match": "all"},
        {"unknown": "no_match"},
        {"op": "contains", "value": "rm"},
        {"path": "$..command"},
    ],
)
def test_another_clause_is_no_prefix(changes):
    assert prefixes([clause("$.command", "shell", {"program": "rm"}) | changes]) is None
    assert prefixes(shell(program="rm") * 2) is None


CODEX = load("codex")
words = st.text("abrm-=/.0", min_size=1, max_size=6).filter(lambda word: not word.startswith("#"))
PREFIXED = [
    "rm",
    "git push",
    "terraform destroy",
    "npm publish",
    "docker system prune",
    "sudo",
    "kubectl delete ns",
]


@given(
    st.sampled_from(PREFIXED),
    st.lists(words, max_size=5),
    st.sampled_from(["", "cd x && ", "ls; "]),
    st.sampled_from(["", " | cat", " && ls"]),
)
def test_every_argument_list_behind_a_prefix_is_denied(prefix, more, before, after):
    program, *args = prefix.split()
    clauses = shell(program=program, **({"args": args} if args else {}))
    data = plan_data([rule(tools=["shell.exec"], clauses=clauses)], default="audit")
    said, _ = statements(data, CODEX)
    assert Statement(prefix=(program, *args)) in said
    line = before + " ".join([prefix, *more]) + after
    assert decide(Plan.load(data).policy_for(None), CODEX.call("Bash", {"command": line})).verdict == "deny"


def test_a_function_that_is_never_called_is_why_other_prefixes_are_not_written():
    data = plan_data(
        [rule(tools=["shell.exec"], clauses=shell(program="git", args=["push"]))], default="audit"
    )
    policy = Plan.load(data).policy_for(None)
    for line in ("f() { git push x; }", 'git push"x"', "echo 'a; git push x'"):
        assert decide(policy, CODEX.call("Bash", {"command": line})).verdict == "audit"
