"""Where a policy holds or counts, the gate asks the evaluator, and nobody asks after it."""

import json

import pytest
from builders import named, plan_data, rule
from hooks.agents.bundles import AGENTS, bundle

from policyc.hooks.generate import generate_hooks

SERVER = {"url": "https://policy.example.com"}
HOLD = rule("pending_approval", tools=["shell.*"], label="hold")
RATE = rule("deny", tools=["fs.read"], rate={"max": 2, "window_seconds": 60, "per": "run"})
URL = "https://policy.example.com/v1/hooks/pre_tool_execution"
#: A hook's answer is an exit code there, or several hooks run before one call.
SILENT = ("windsurf", "kiro", "cursor")


def pre(*handlers, **changes):
    entries = [{"matcher": None, "handler": one, "timeout": 10} | changes for one in handlers]
    return {"pre_tool_execution": entries}


def generated(hooks, rules=(HOLD,), **changes):
    return generate_hooks(plan_data(list(rules), hooks=named(hooks), server=SERVER, **changes))


def handlers(hooks, *rules, **changes):
    """Matcher, type and whether it asks, of every handler before a call."""
    document = json.loads(generated(hooks, rules or (HOLD,), **changes).files[".agents/hooks.json"])
    return [
        (entry["matcher"], one["type"], f"--ask {URL}" in one.get("command", ""))
        for group in document.values()
        for entry in group.get("pre_tool_execution", [])
        for one in entry["hooks"]
    ]


@pytest.mark.parametrize("data", [HOLD, RATE, {**HOLD, "stages": ["hook"]}], ids=["hold", "rate", "pinned"])
def test_one_question_before_each_call(data):
    assert handlers({"g": pre("server")}, data) == [("*", "command", True)]
    assert handlers({"g": pre("gate", "server")}, data) == [("*", "command", True)]


NOT_NEEDED = [rule("deny"), {**HOLD, "stages": ["mcp"]}, {**HOLD, "shadow": True}]


@pytest.mark.parametrize("data", NOT_NEEDED, ids=["certain", "elsewhere", "shadow"])
def test_where_the_gate_knows_the_agent_asks(data):
    assert handlers({"g": pre("server")}, data) == [("*", "command", False), ("*", "http", False)]


def test_without_a_server_nobody_is_asked():
    assert handlers({"g": pre("gate")}) == [("^(?:code_execution)$", "command", False)]
    assert handlers({}) == [("^(?:code_execution)$", "command", False)]


def test_no_tool_is_asked_about_twice():
    two = {"a": pre("server", matcher="code_execution|read_file"), "b": pre("server")}
    rest = "^(?:write_file|list_files|delete_file)$"
    assert handlers(two) == [("code_execution|read_file", "command", True), (rest, "command", True)]
    wide = {"a": pre("gate", matcher="*"), "b": pre("server", matcher="read_file")}
    assert handlers(wide) == [("*", "command", True)]


def test_what_is_left_is_said():
    notes = "\n".join(generated({"g": pre("gate", "server")}).notes)
    assert "g.pre_tool_execution[0] is left out: a gate that asks" in notes
    assert "calls that the policies hold, or that a budget is about, are denied" in notes
    assert "policy.example.com must be in the environment's network.allowlist" in notes


def test_the_events_after_a_call_still_arrive():
    hooks = {"g": {**pre("server"), "post_tool_execution": pre("server")["pre_tool_execution"]}}
    document = json.loads(generated(hooks).files[".agents/hooks.json"])
    [entry] = document["g"]["post_tool_execution"]
    assert [one["type"] for one in entry["hooks"]] == ["http"]


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent(name):
    found = generate_hooks(bundle(server=True, rules=[HOLD]), name)
    settings = [json.dumps(merge.apply({}, ()).settings) for merge in found.merged.values()]
    own = [text for path, text in found.files.items() if not path.startswith(".policyc/gate")]
    text = "\n".join([*settings, *own])
    url = f"https://policy.example.com/v1/hooks/{name}"
    assert ("--ask" in text) is (name not in SILENT)
    assert ("POLICYC_KEY" in "".join(found.notes)) is (name not in SILENT)
    # Once to the gate, and once after a call where the agent tells of it.
    assert text.count(url) <= 2 * text.count("--ask")
