"""What holds for every bundle."""

import copy
import json

import pytest
from builders import named, plan, plan_data, rule
from hypothesis import given
from hypothesis import strategies as st

from policyc.engine.dialects import managed
from policyc.engine.model import STAGES, Call
from policyc.engine.plan import Plan
from policyc.engine.regex import compile_regex
from policyc.engine.walk import decide
from policyc.hooks.errors import HooksError
from policyc.hooks.generate import TARGETS, generate_hooks
from policyc.hooks.managed import PATH
from policyc.hooks.schema import problems

SECRET = "s3cr3t-value"
CALLS = {
    name: managed.call(name, {"code": "x", "language": "bash", "path": "x"}) for name in managed.DIALECT.tools
}
#: A name in no glob's alphabet: only a glob for every name covers it.
UNHEARD_OF = Call("☃", {}, "hook")

globs = st.sampled_from(
    ["*", "", "**", "shell.*", "shell.exec", "*.exec", "fs.*", "fs.read", "*.delete", "*_file", "write_file",
     "code_*", "*_*", "list*s", "crm.*", "fs", "Read_File"]
) | st.text("abcdefils._*", max_size=6)  # fmt: skip
rules = st.builds(
    rule,
    st.sampled_from(["allow", "audit", "deny", "pending_approval"]),
    tools=st.none() | st.lists(globs, min_size=1, max_size=2),
    stages=st.none() | st.lists(st.sampled_from(STAGES), min_size=1, unique=True),
)
policies = st.builds(
    lambda rules, default, shadow: plan_data(rules, default=default, shadow=shadow)["policies"]["p"],
    st.lists(rules, max_size=3),
    st.sampled_from(["allow", "audit", "audit", "deny"]),
    st.booleans(),
)
urls = st.sampled_from(["https://a.example.com/x?y=z", "HTTPS://A.example.com", "https://8.8.8.8:8443/h"])
handlers = (
    st.just("server")
    | st.builds(
        lambda text: {"type": "command", "command": f"x {text}"}, st.text(st.characters(codec="utf-8"))
    )
    | st.builds(
        lambda url, headers: {"type": "http", "url": url, "headers": headers},
        urls,
        st.dictionaries(st.sampled_from(["X-Source", "Accept"]), st.text("ab", max_size=3)),
    )
)
matchers = st.none() | st.sampled_from(
    ["code_execution", ".*_file", "read_file|write_file", "*", "", ".*", "Bash"]
)


def entries(handler):
    fields = {"matcher": matchers, "handler": handler, "timeout": st.integers(2, 600)}
    return st.lists(st.fixed_dictionaries(fields), max_size=3)


groups = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "pre_tool_execution": entries(handlers | st.just("gate")),
        "post_tool_execution": entries(handlers),
    },
)
allowlists = st.none() | st.lists(
    st.builds(
        lambda domain: {"domain": domain, "transform": {"Authorization": f"Bearer {SECRET}"}},
        st.sampled_from(["a.example.com", "*.example.com", "*"]),
    ),
    max_size=2,
).map(lambda entries: {"allowlist": entries})


@st.composite
def bundles(draw):
    bound = draw(st.booleans())
    return {
        "format": 1,
        "bundle": "b",
        "default_policy": "p",
        "bindings": [{"agents": ["a-*"], "policy": "q"}] if bound else [],
        "policies": {"p": draw(policies), "q": draw(policies), "unused": draw(policies)},
        "server": {"url": "https://policy.example.com"},
        "hooks": named(
            draw(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), groups, max_size=3))
        ),
        "network": draw(allowlists),
    }


def documents(data):
    return json.loads(generate_hooks(data).files[".agents/hooks.json"])


@given(bundles())
def test_every_document_is_valid_and_every_generation_the_same(data):
    Plan.load(data)
    before = copy.deepcopy(data)
    generated = generate_hooks(data)
    assert problems(json.loads(generated.files[".agents/hooks.json"])) == []
    assert generate_hooks(data) == generated
    assert data == before


def governing(data):
    return [data["policies"][name] for name in ("p", *("q" for _ in data["bindings"]))]


def is_touched(data, call):
    """Whether a rule without its clauses, or a default that denies, decides the call: asked of the engine."""
    return any(
        policy["default_verdict"] == "deny"
        or any(decide(plan([item]).policies["p"], call).rule is not None for item in policy["rules"])
        for policy in governing(data)
    )


@given(bundles())
def test_derived_matchers_cover_exactly_the_touched_tools(data):
    command = {"matcher": None, "handler": {"type": "command", "command": "x"}, "timeout": 1}
    document = documents(data | {"hooks": [{"name": "g", "pre_tool_execution": [command]}]})
    touched = {name for name, call in CALLS.items() if is_touched(data, call)}
    if not touched:
        assert document == {}
        return
    matcher = document["g"]["pre_tool_execution"][0]["matcher"]
    if is_touched(data, UNHEARD_OF):
        assert matcher == "*"
        return
    pattern = compile_regex(matcher)
    assert {name for name in CALLS if pattern.fullmatch(name)} == touched
    # Anchored: the same under a runtime that searches, and nothing else is covered.
    assert {name for name in CALLS if pattern.search(name)} == touched
    assert not any(pattern.search(f"{name}s") or pattern.search(f"a{name}") for name in CALLS)


@given(bundles())
def test_authored_matchers_and_handlers_come_out_unchanged_and_in_order(data):
    document = documents(data)
    for group in data["hooks"]:
        for event in ("pre_tool_execution", "post_tool_execution"):
            written = iter(document.get(group["name"], {}).get(event, []))
            for item in group.get(event, []):
                if item["matcher"] is None:
                    continue
                asks = event == "pre_tool_execution" and item["handler"] in ("server", "gate")
                if asks and is_asking(document):
                    # One gate asks about a call, whichever of them it comes under.
                    assert tools_of(item["matcher"]) <= decided(document)
                else:
                    assert any(is_written(item, found) for found in written)


def is_asking(document):
    return "--ask https://policy.example.com/v1/hooks/" in json.dumps(document)


def decided(document):
    """The tools before which a gate runs."""
    entries = [entry for group in document.values() for entry in group.get("pre_tool_execution", [])]
    gates = [entry for entry in entries if "gate.py" in json.dumps(entry)]
    return {name for entry in gates for name in tools_of(entry["matcher"])}


def tools_of(matcher):
    if matcher in ("*", "", ".*"):
        return set(CALLS)
    return {name for name in CALLS if compile_regex(matcher).fullmatch(name)}


def is_written(item, found):
    *_before, hook = found["hooks"]
    handler = item["handler"]
    if handler == "gate":
        same = "/gate.py --target managed " in hook.get("command", "")
    elif handler == "server":
        same = hook.get("url", "").startswith("https://policy.example.com/v1/hooks/")
    else:
        same = {key: value for key, value in handler.items() if value != {}}.items() <= hook.items()
    return same and found["matcher"] == item["matcher"] and hook["timeout"] == item["timeout"]


@given(bundles())
def test_secrets_never_reach_the_files_or_the_notes(data):
    generated = generate_hooks(data)
    # The modules of the gate are the same in every bundle; one of them can send a key from the environment.
    told = [generated.files[PATH], *generated.notes]
    assert not any(word in text for word in (SECRET, "Authorization") for text in told)
    assert not any(SECRET in text for text in generated.files.values())


def test_an_unknown_target_is_refused_with_those_there_are():
    with pytest.raises(HooksError, match="'emacs' is not a target of hooks; supported: managed") as error:
        generate_hooks(plan_data([]), "emacs")
    assert error.value.code == "unknown_target"
    assert len(TARGETS) == 13
