"""The gate's decision as a function: whose event it is, what the disk says, what the agent can carry."""

import json
import os

import pytest
from builders import clause, plan_data, rule
from gates import event

from policyc.engine.model import Call
from policyc.hooks.gate_decision import answer, look_around
from policyc.hooks.gate_files import plan_text


@pytest.fixture
def ask(tmp_path):
    """Asks a gate with these rules."""

    def decide(rules, payload, target="managed", name="", **changes):
        plan = tmp_path / "plan.json"
        plan.write_text(plan_text(plan_data(rules, **changes)), "utf-8")
        return answer(payload, str(plan), target, name)

    return decide


def claude(tool="Read", **args):
    document = {
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_use_id": "t",
        "tool_name": tool,
        "tool_input": args,
        "cwd": os.getcwd(),
    }
    return json.dumps(document).encode()


NO_SECRETS = [rule(tools=["fs.*"], clauses=[clause("$.path", "path", ["**/secrets/**"])])]
ONLY_PUBLIC = [
    rule("allow", tools=["fs.*"], clauses=[clause("$.path", "path", ["**/public/**"], match="all")]),
]


@pytest.fixture
def links(tmp_path):
    (tmp_path / "secrets").mkdir()
    (tmp_path / "public").mkdir()
    (tmp_path / "secrets/key").write_text("k")
    (tmp_path / "public/link").symlink_to(tmp_path / "secrets/key")
    (tmp_path / "public/folder").symlink_to(tmp_path / "secrets")
    (tmp_path / "public/loop").symlink_to(tmp_path / "public/loop")
    return tmp_path / "public"


def decisions(ask, rules, paths, **changes):
    return [json.loads(ask(rules, event(path=str(path)), **changes)[0])["decision"] for path in paths]


def test_a_deny_holds_for_what_links_lead_to(ask, links):
    names = ["link", "folder/new", "folder/../folder/key", "plain", "loop"]
    paths = [f"{links}/{name}" for name in names]
    assert decisions(ask, NO_SECRETS, paths) == ["deny", "deny", "deny", "allow", "allow"]


def test_a_deny_holds_for_links_on_a_command_line(ask, links):
    rules = [rule(tools=["shell.exec"], clauses=[clause("$.path", "path", ["**/secrets/**"])])]
    lines = [f"cat {links}/link", f"cp {links}/folder/key /tmp/x", f"cat {links}/plain", "cat $x"]
    found = [ask(rules, event("code_execution", code=line, language="bash"))[0] for line in lines]
    assert [json.loads(out)["decision"] for out in found] == ["deny", "deny", "allow", "deny"]


def test_an_allow_has_to_cover_what_links_lead_to(ask, links):
    paths = [links / "plain", links / "link"]
    assert decisions(ask, ONLY_PUBLIC, paths, default="deny") == ["allow", "deny"]


def test_paths_are_relative_to_the_folder_of_the_call(ask, links, monkeypatch):
    monkeypatch.chdir(links)
    out, _err, code = ask(NO_SECRETS, claude(file_path="link"))
    assert json.loads(out)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert code == 0


def test_what_is_known_of_the_machine_is_not_replaced():
    call = Call("fs.read", {"path": "x"}, os="windows", cwd="C:/w")
    look_around(call)
    assert (call.os, call.cwd) == ("windows", "C:/w")
    call = Call("fs.read", {"path": ["x"]})
    look_around(call)
    assert (call.cwd, call.realpaths) == (os.getcwd(), None)


def test_names_that_no_file_can_have_are_no_fault(ask):
    assert decisions(ask, NO_SECRETS, ["a\0b", "x" * 5000, "\ud800"]) != []


def test_a_hold_is_asked_where_the_agent_can_ask(ask):
    held = [rule("pending_approval", tools=["fs.read"])]
    assert json.loads(ask(held, event(path="x"))[0])["decision"] == "deny"
    found = json.loads(ask(held, claude(file_path="x"), "claude-code")[0])["hookSpecificOutput"]
    assert found["permissionDecision"] == "ask"


def test_arguments_are_rewritten_where_the_agent_lets_its_hook(ask):
    redacting = [rule("sanitize", tools=["fs.write"], sanitize={"presets": ["openai_key"]})]
    secret = "sk-" + "a" * 40
    out, _err, _code = ask(redacting, claude("Write", file_path="x", content=secret), "claude-code")
    found = json.loads(out)["hookSpecificOutput"]["updatedInput"]
    assert secret not in found["content"]
    assert found["file_path"] == "x"
    assert json.loads(ask(redacting, event("write_file", path="x", content=secret))[0])["decision"] == "deny"


def test_the_payload_wins_over_the_command(ask):
    assert json.loads(ask([rule()], event(path="x"), "claude-code")[0])["decision"] == "deny"
    assert "hookSpecificOutput" in json.loads(ask([rule()], claude(file_path="x"), "managed")[0])


def test_without_an_agent_a_fault_is_raised(ask):
    with pytest.raises(ValueError, match="--target"):
        ask([rule()], b"{}", "emacs")
    assert json.loads(ask([rule()], event(path="x"), "")[0])["decision"] == "deny"


def test_events_without_a_call_have_nothing_to_decide(ask):
    start = json.dumps({"hook_event_name": "SessionStart", "session_id": "s"}).encode()
    assert ask([rule()], start, "claude-code") == ("", "", 0)
    assert json.loads(ask([rule()], event(path="x"), name="post")[0]) == {}


def test_a_tool_that_calls_another_is_judged_by_that_one_too(ask):
    name, arguments = [["field", "name"]], [["field", "args"]]
    meta = {"tools": ["batch"], "name": name, "arguments": arguments, "prefix": ""}
    rules = [rule(tools=["shell.exec"], clauses=[clause("$.command", "contains", "rm -rf")])]
    stopped, passed = (
        claude("batch", name="Bash", args={"command": command}) for command in ("rm -rf /", "ls")
    )
    for payload, word in ((stopped, "deny"), (passed, None)):
        said = ask(rules, payload, "claude-code", default="allow", meta_tools=[meta])[0]
        found = json.loads(said)["hookSpecificOutput"]["permissionDecision"] if said else None
        assert found == word
