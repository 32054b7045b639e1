"""Every agent's spelling of an MCP tool is ``mcp.<server>.<tool>``."""

import agent_payloads as agents
import pytest
from builders import plan, rule

from policyc.engine.calls import CallError, read_call
from policyc.engine.evaluate import Evaluator


def canonicals(payload):
    return [part.canonical for part in read_call(payload).parts]


EXACT = [
    ("claude", agents.claude("mcp__linear__create_issue", {})),
    ("codex", agents.codex("mcp__linear__create_issue", {})),
    ("qwen", agents.qwen("mcp__linear__create_issue", {})),
    ("copilot as claude", agents.copilot_pascal("mcp__linear__create_issue", {})),
    ("plugin, C05", agents.claude("mcp__plugin_linear_linear__create_issue", {})),
    (
        "gemini",
        agents.gemini(
            "mcp_linear_create_issue", {}, mcp_context={"server_name": "linear", "tool_name": "create_issue"}
        ),
    ),
    (
        "gemini without a prefix",
        agents.gemini("create_issue", {}, mcp_context={"server_name": "linear", "tool_name": "create_issue"}),
    ),
    (
        "cursor event",
        agents.cursor(
            "beforeMCPExecution",
            tool_name="create_issue",
            tool_input='{"title": "x"}',
            mcp_server_name="linear",
        ),
    ),
    (
        "cursor tool",
        agents.cursor("preToolUse", tool_name="MCP:create_issue", tool_input={}, mcp_server_name="linear"),
    ),
    (
        "windsurf",
        agents.windsurf(
            "pre_mcp_tool_use",
            mcp_server_name="linear",
            mcp_tool_name="create_issue",
            mcp_tool_arguments={"title": "x"},
        ),
    ),
    ("kiro", agents.kiro("@linear/create_issue", {})),
    ("opencode, C19", agents.opencode("linear_create_issue", {}, mcp_servers=["linear", "git hub"])),
    (
        "cline",
        agents.cline_extension(
            "use_mcp_tool",
            {"server_name": "linear", "tool_name": "create_issue", "arguments": '{"title": "x"}'},
        ),
    ),
]


@pytest.mark.parametrize("payload", [row[1] for row in EXACT], ids=[row[0] for row in EXACT])
def test_a_name_that_says_its_server(payload):
    assert canonicals(payload) == ["mcp.linear.create_issue"]


def test_the_arguments_are_those_of_the_tool():
    for number in (7, 9, 12):
        assert read_call(EXACT[number][1]).args == {"title": "x"}, EXACT[number][0]


AMBIGUOUS = [
    (
        "gemini without a context, C20",
        agents.gemini("mcp_my_server_delete", {}),
        ["mcp.my.server_delete", "mcp.my_server.delete"],
    ),
    ("vscode", agents.vscode("mcp_a_b_c", {}), ["mcp.a.b_c", "mcp.a_b.c"]),
    ("claude", agents.claude("mcp__a__b__c", {}), ["mcp.a.b__c", "mcp.a__b.c"]),
    (
        "another plugin's server",
        agents.claude("mcp__plugin_acme_linear__t", {}),
        ["mcp.plugin_acme_linear.t", "mcp.linear.t"],
    ),
    ("copilot", agents.copilot("my-server-t", {}), ["mcp.my.server-t", "mcp.my-server.t", None]),
    ("opencode", agents.opencode("a_b", {}), ["mcp.a.b", None]),
    (
        "opencode, two servers that fit",
        agents.opencode("a_b_c", {}, mcp_servers=["a", "a b"]),
        ["mcp.a.b_c", "mcp.a b.c"],
    ),
]


@pytest.mark.parametrize(
    ("payload", "names"), [row[1:] for row in AMBIGUOUS], ids=[row[0] for row in AMBIGUOUS]
)
def test_a_name_that_may_be_read_in_several_ways(payload, names):
    assert canonicals(payload) == names


def verdict(payload, default, **rules):
    found = plan([rule(verdict, tools=globs) for verdict, globs in rules.items()], default=default)
    return Evaluator(found).decide(read_call(payload)).verdict


@pytest.mark.parametrize("payload", [row[1] for row in AMBIGUOUS], ids=[row[0] for row in AMBIGUOUS])
def test_a_deny_holds_by_any_reading_and_an_allow_has_to_cover_all(payload):
    names = [name for name in canonicals(payload) if name is not None]
    for name in names:
        assert verdict(payload, "allow", deny=[name]) == "deny"
        assert verdict(payload, "deny", allow=[name]) == "deny"
    assert verdict(payload, "deny", allow=[*names, read_call(payload).tool]) == "allow"


def test_a_plugins_server_gets_the_verdict_of_the_server_of_its_name():
    """C05."""
    for default, rules in [("allow", {"deny": ["mcp.linear.*"]}), ("deny", {"allow": ["mcp.linear.*"]})]:
        plain = verdict(agents.claude("mcp__linear__create_issue", {}), default, **rules)
        assert (
            verdict(agents.claude("mcp__plugin_linear_linear__create_issue", {}), default, **rules) == plain
        )


@pytest.mark.parametrize(
    "payload",
    [
        agents.claude("mcp__shell__exec", {}),
        agents.codex("mcp__fs__read", {}),
        agents.claude("mcp__plugin_x_shell__exec", {}),
        agents.gemini("x", {}, mcp_context={"server_name": "http", "tool_name": "fetch"}),
        agents.cursor("beforeMCPExecution", tool_name="exec", tool_input="{}", mcp_server_name="shell"),
        agents.windsurf("pre_mcp_tool_use", mcp_server_name="mcp", mcp_tool_name="x"),
        agents.kiro("@fs/read", {}),
        agents.opencode("shell_exec", {}, mcp_servers=["shell"]),
        agents.cline_sdk("use_mcp_tool", {"server_name": "fs", "tool_name": "read", "arguments": "{}"}),
    ],
)
def test_a_server_named_like_a_canonical_family_is_refused(payload):
    with pytest.raises(CallError, match="could pass for the built-in tools"):
        read_call(payload)


def test_a_name_without_end_is_refused_and_not_tried_in_every_way():
    with pytest.raises(CallError, match="does not say where"):
        read_call(agents.vscode("mcp_" + "a_" * 5000 + "b", {}))


@pytest.mark.parametrize(
    "name", ["mcp__only", "mcp_only", "mcp__", "mcp____", "@only", "@/x", "@x/", "MCP:t"]
)
def test_what_only_looks_like_one_keeps_its_native_name(name):
    assert canonicals({"tool_name": name, "tool_input": {}}) == [None]
