import asyncio
import json

import pytest
from hooks.runtime.driving import DENY, POST, command, hooked, payload, says

from policyc.hooks.runtime import Sandbox, ToolResult, post_event, read_hooks, run_tool

KEEP = hooked(command("cat > after.json; printf %s '{}'"), event=POST, group="after")


def driven(document, tool, tmp_path, call=None):
    return asyncio.run(
        run_tool(read_hooks(document), call or payload(code="ls"), tool, Sandbox(cwd=tmp_path))
    )


def test_a_tool_between_its_hooks(tmp_path):
    seen = []

    async def tool(name, args):
        seen.append((name, args))
        return ToolResult("a\nb\n")

    outcome = driven(hooked(says('{"decision":"allow"}')) | KEEP, tool, tmp_path)
    assert seen == [("code_execution", {"code": "ls"})]
    assert (outcome.before.outcome, outcome.result.output, outcome.after.outcome) == (
        "allow",
        "a\nb\n",
        "allow",
    )
    assert json.loads((tmp_path / "after.json").read_text()) == payload(code="ls")


def test_a_denied_tool_does_not_run_and_has_no_event_after_it(tmp_path):
    async def tool(_name, _args):
        raise AssertionError("it was denied")

    outcome = driven(hooked(says(DENY)) | KEEP, tool, tmp_path)
    assert (outcome.before.reason, outcome.result, outcome.after) == ("Not here.", None, None)
    assert not (tmp_path / "after.json").exists()


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (ToolResult("ok"), None),
        (ToolResult("ok", stderr=""), None),
        (ToolResult("partly", stderr="ls: cannot access 'x'\n"), "ls: cannot access 'x'\n"),
        (ToolResult(stderr="\n"), "\n"),
        (ToolResult(failure="no such file: /workspace/x"), "no such file: /workspace/x"),
        (ToolResult(stderr="warning", failure="failed"), "failed"),
    ],
)
def test_the_event_after_has_an_error_only_where_there_was_one(result, error, tmp_path):
    expected = payload(code="ls") if error is None else {**payload(code="ls"), "error": error}
    assert post_event(payload(code="ls"), result) == expected

    async def tool(_name, _args):
        return result

    driven(KEEP, tool, tmp_path)
    assert json.loads((tmp_path / "after.json").read_text()) == expected


def test_an_error_of_another_event_is_not_carried_on():
    assert post_event({**payload(), "error": "old"}, ToolResult()) == payload()


def test_what_the_tool_raises_is_the_callers(tmp_path):
    async def tool(_name, _args):
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        driven(KEEP, tool, tmp_path)
    assert not (tmp_path / "after.json").exists()
