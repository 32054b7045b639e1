"""Cursor: ``.cursor/hooks.json``, flat entries without groups, and ``failClosed``.

https://cursor.com/docs/agent/hooks
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import judging, nested, samples
from policyc.hooks.agents.evaluator import offline
from policyc.hooks.agents.gate import gate_line, generated
from policyc.hooks.generated import Generated
from policyc.hooks.target import HOST_TIMEOUT, Judgement, Options, Run, Target

NAME: Final = "cursor"
PATH: Final = ".cursor/hooks.json"
#: The first is about every tool, without a server's name; the others say more, and are older.
#: beforeMCPExecution is heard about MCP tools, so the first is not.
_EVENTS: Final = ("preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile")
#: Every tool's name but `MCP:tool`, the same where matchers search and where they compare the whole name, and
#: without lookahead, which some engines lack.
_NO_SERVER: Final = "^(?:[^M].*|M|M[^C].*|MC|MC[^P].*|MCP|MCP[^:].*)$"
_NOTES: Final = (
    "Cursor overrides a hook's ask and allow with its own lists: a call that the policy would ask about "
    "is denied.",
    "MCP tools are decided in beforeMCPExecution, which names the server.",
    "Cloud agents run no user-level hooks and no MCP events, so MCP tools are not checked there, and were "
    "reported to run no hooks at all in some versions; changing the timeout by hand was reported to disable "
    "denies.",
    "An administrator locks hooks with /etc/cursor/hooks.json or the team's distribution.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    entry = {"command": gate_line(NAME, options, data), "timeout": HOST_TIMEOUT, "failClosed": True}
    first, *others = _EVENTS
    events = {first: [{**entry, "matcher": _NO_SERVER}], **{event: [entry] for event in others}}
    merge = nested.merge(NAME, events, {"version": 1})
    return generated(
        data,
        options,
        fault="denied",
        merged={PATH: merge},
        notes=[*offline(data, NAME), *_NOTES],
        from_root=False,
    )


def judge(run: Run) -> Judgement:
    """Exit code 2 and anything but JSON block; ``failClosed`` covers no output, other exit codes, timeouts.
    An ask before a tool is not enforced."""
    if run.timed_out or run.exit_code not in (0, 2):
        return _on_failure(run)
    if run.exit_code == 2:
        return "blocked"
    if not run.stdout.strip():
        return _on_failure(run)
    found = judging.document(run.stdout)
    return "blocked" if found is None or found.get("permission") == "deny" else "ran"


def _on_failure(run: Run) -> Judgement:
    return "blocked" if run.entry.get("failClosed") is True else "ran"


_MORE: Final = {
    "tool_use_id": "u",
    "conversation_id": "c",
    "generation_id": "g",
    "workspace_roots": [samples.CWD],
}
TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    nested.read_hooks(PATH, "preToolUse", NAME, lambda handler: handler["timeout"]),
    samples.built(load(NAME), "preToolUse", "postToolUse", _MORE),
    judge,
    switches={"failClosed": True},
)
