import asyncio
import json

import pytest
from hooks.runtime.driving import ALLOW, DENY, POST, PRE, command, hooked, only, payload, run, says

from policyc.hooks.errors import HooksError
from policyc.hooks.runtime import read_hooks, run_event


def marks(name, answer=ALLOW):
    return command(f"echo {name} >> order; printf %s '{answer}'")


def order(tmp_path):
    path = tmp_path / "order"
    return path.read_text().split() if path.exists() else []


def test_every_matching_group_in_order_one_after_another(tmp_path):
    slow = command(f"sleep 0.2; echo 1 >> order; printf %s '{ALLOW}'")
    document = {
        "z": {PRE: [{"matcher": "*", "hooks": [slow, marks("2")]}, {"matcher": ".*", "hooks": [marks("3")]}]},
        "a": {
            PRE: [
                {"matcher": "code_.*", "hooks": [marks("4")]},
                {"matcher": "read_file", "hooks": [marks("no")]},
            ]
        },
        "off": {"enabled": False, PRE: [{"matcher": "*", "hooks": [marks("no", DENY)]}]},
        "m": {"enabled": True, POST: [{"matcher": "*", "hooks": [marks("no")]}]},
        "b": {"enabled": True, PRE: [{"matcher": "", "hooks": [marks("5")]}]},
    }
    result = run(document, cwd=tmp_path)
    assert order(tmp_path) == ["1", "2", "3", "4", "5"]
    assert result.outcome == "allow"
    assert [
        (one.group, one.rule, one.index, one.matched, one.skipped, one.decision) for one in result.trace
    ] == [
        ("z", 0, 0, True, None, "allow"),
        ("z", 0, 1, True, None, "allow"),
        ("z", 1, 0, True, None, "allow"),
        ("a", 0, 0, True, None, "allow"),
        ("a", 1, 0, False, None, None),
        ("off", 0, 0, True, "group_disabled", None),
        ("b", 0, 0, True, None, "allow"),
    ]
    assert result.holds


def test_a_deny_stops_the_call_at_once(tmp_path):
    document = hooked(marks("1"), marks("2", DENY), marks("no", '{"decision":"deny","reason":"Later."}'))
    document |= hooked(marks("no"), group="h") | hooked(marks("no"), group="i", matcher="read_file")
    result = run(document, cwd=tmp_path)
    assert order(tmp_path) == ["1", "2"]
    assert (result.outcome, result.reason) == ("deny", "Not here.")
    assert [one.skipped for one in result.trace] == [None, None, "already_denied", "already_denied", None]


def test_a_failure_does_not_keep_the_next_from_denying():
    document = hooked(command("exit 2"), says("text"), says(DENY))
    result = run(document)
    assert result.denied
    assert [one.cause for one in result.failures] == ["exit_nonzero", "answer_not_json"]


def test_a_deny_without_a_reason_is_one():
    result = run(hooked(says('{"decision":"deny"}')))
    assert (result.outcome, result.reason, result.denied) == ("deny", "", True)


@pytest.mark.parametrize("matcher", ["*_file", "[", "(?=code).*"])
def test_an_invalid_matcher_matches_nothing_and_is_said(matcher, tmp_path):
    document = hooked(marks("no", DENY), matcher=matcher) | hooked(marks("1"), group="h")
    result = run(document, cwd=tmp_path)
    assert (result.outcome, order(tmp_path)) == ("allow", ["1"])
    [failed] = result.failures
    assert (failed.group, failed.cause, failed.matched, failed.milliseconds) == (
        "g",
        "matcher_invalid",
        False,
        None,
    )
    assert failed.detail


def test_the_matchers_of_the_documentation():
    tools = ["code_execution", "read_file", "write_file", "list_files", "delete_file"]
    expected = {
        "code_execution": tools[:1],
        "write_file": ["write_file"],
        "read_file|write_file": ["read_file", "write_file"],
        ".*_file": ["read_file", "write_file", "delete_file"],
        "*_file": [],
        ".*": tools,
        "*": tools,
        "": tools,
    }
    for matcher, matched in expected.items():
        assert [
            tool for tool in tools if only(run(hooked(says(ALLOW), matcher=matcher), payload(tool))).matched
        ] == matched


def test_no_hooks():
    result = run({})
    assert (result.outcome, result.trace, result.holds) == ("allow", (), True)


def test_a_tool_that_the_agent_sends_no_events_for():
    result = run(hooked(says(DENY)), payload("mcp__github__create_issue"))
    assert (result.denied, result.tool_seen, result.holds) == (True, False, False)


@pytest.mark.parametrize(
    "call", [{}, {"tool_call": None}, {"tool_call": {}}, {"tool_call": {"name": 1}}, {"tool": "x"}]
)
def test_an_event_without_a_tool(call):
    with pytest.raises(HooksError, match=r"tool_call\.name") as caught:
        asyncio.run(run_event(read_hooks({}), PRE, call))
    assert caught.value.code == "event_invalid"


def test_an_event_that_hooks_do_not_have():
    with pytest.raises(HooksError, match="'PreToolUse' is not one of"):
        run(hooked(says(DENY)), event="PreToolUse")


def test_the_document_of_a_result():
    document = run(hooked(says(DENY), command("echo wrong >&2; exit 4"))).document()
    assert json.loads(json.dumps(document))["trace"][1]["skipped"] == "already_denied"
    document = run(hooked(command("echo wrong >&2; exit 4"))).document()
    [trace] = document.pop("trace")
    assert document == {
        "event": PRE,
        "tool": "code_execution",
        "outcome": "allow",
        "reason": None,
        "tool_seen": True,
    }
    assert trace.pop("milliseconds") > 0
    assert trace == {
        "group": "g",
        "place": "$.g.pre_tool_execution[0].hooks[0]",
        "rule": 0,
        "index": 0,
        "type": "command",
        "matched": True,
        "skipped": None,
        "decision": None,
        "cause": "exit_nonzero",
        "detail": "",
        "exit_code": 4,
        "status": None,
        "stderr": "wrong\n",
    }
