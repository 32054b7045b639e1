"""Each agent's own rules: what is written, and what is not for want of exact words."""

import tomllib

import pytest
from builders import clause, plan_data, rule

from policyc.hooks.native import claude_code, codex, gemini_cli, opencode


def data(*rules, default="audit"):
    return plan_data(list(rules), default=default)


def unsaid(listed, *words):
    return [
        one for one in listed if one.rule is None and all(word in f"{one.what} {one.why}" for word in words)
    ]


def test_claude_code_reads_and_edits_are_wider_than_one_tool():
    rules, listed = claude_code.deny_rules(data(rule(tools=["fs.read"])))
    assert rules == []
    assert unsaid(listed, "the tool Read", "also stops Grep")
    rules, _ = claude_code.deny_rules(data(rule(tools=["Read", "Grep", "Glob", "LS", "NotebookRead"])))
    assert rules == ["Read"]
    rules, listed = claude_code.deny_rules(data(rule(tools=["fs.edit"])))
    assert unsaid(listed, "the tool Edit", "also stops Write")
    assert claude_code.deny_rules(data(rule()))[0] == [
        "Bash",
        "Edit",
        "PowerShell",
        "Read",
        "WebFetch",
        "Write",
    ]
    assert claude_code.deny_rules(data(default="deny"))[0] == claude_code.deny_rules(data(rule()))[0]


def test_claude_code_servers():
    rules, _ = claude_code.deny_rules(data(rule(tools=["mcp.crm.*", "mcp.github.delete_repo"])))
    assert rules == ["mcp__crm", "mcp__github__delete_repo"]
    rules, listed = claude_code.deny_rules(data(rule(tools=["mcp.plugin_linear_linear.*"])))
    assert rules == []
    assert unsaid(listed, "another server")
    assert claude_code.deny_rules(data(rule(tools=["mcp.*"])))[0] == []


def test_c20_gemini_rules_for_an_alias_with_an_underscore_are_refused():
    text, listed = gemini_cli.policy_file(data(rule(tools=["mcp.my_server.*"])))
    assert text is None
    assert unsaid(listed, "my_server", "underscore never match: rename my_server")


def test_gemini_rules_have_what_the_engine_asks_for():
    text, _ = gemini_cli.policy_file(data(rule(tools=["http.fetch", "mcp.crm.*", "mcp.github.delete_repo"])))
    found = tomllib.loads(text)["rule"]
    assert [(one["toolName"], one.get("mcpName")) for one in found] == [
        ("*", "crm"),
        ("delete_repo", "github"),
        ("web_fetch", None),
    ]
    assert {one["decision"] for one in found} == {"deny"}
    # Above the 950 that a user's "always allow" can have, and at most 999.
    assert {one["priority"] for one in found} == {999}


def test_codex_rules_are_python_with_their_own_tests():
    clauses = [clause("$.command", "shell", {"program": "git", "args": ["push"]})]
    text, listed = codex.rules_file(data(rule(tools=["shell.exec"], clauses=clauses), rule(tools=["fs.*"])))
    written = []
    exec(text, {"prefix_rule": lambda **keys: written.append(keys)})
    [one] = written
    assert (one["pattern"], one["decision"]) == (["git", "push"], "forbidden")
    assert all(line.split()[:2] == one["pattern"] for line in one["match"])
    assert not any(line.split()[:2] == one["pattern"] for line in one["not_match"])
    assert unsaid(listed, "apply_patch", "about commands")


def test_opencode_edit_is_about_every_tool_that_changes_a_file():
    keys, listed = opencode.denied_keys(data(rule(tools=["write"])))
    assert keys == []
    assert unsaid(listed, "the tool write", "also stops edit")
    assert opencode.denied_keys(data(rule(tools=["fs.write", "fs.edit", "fs.delete"])))[0] == ["edit"]
    assert opencode.denied_keys(data(rule(tools=["shell.exec", "http.fetch"])))[0] == ["bash", "webfetch"]


@pytest.mark.parametrize("language", [claude_code.deny_rules, gemini_cli.policy_file, opencode.denied_keys])
def test_a_command_prefix_is_said_not_to_be_written(language):
    clauses = [clause("$.command", "shell", {"program": "rm"})]
    written, listed = language(data(rule(tools=["shell.exec"], clauses=clauses)))
    assert not written
    assert unsaid(listed, 'the command "rm"')


def test_a_bundle_without_rules_has_nothing_to_say():
    for language in (claude_code.deny_rules, gemini_cli.policy_file, codex.rules_file, opencode.denied_keys):
        written, listed = language(data())
        assert not written
        assert listed == []
