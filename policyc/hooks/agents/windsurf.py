"""Windsurf Cascade: ``.windsurf/hooks.json``, flat entries. Exit code 2 denies, and nothing else does.

https://docs.windsurf.com/windsurf/cascade/hooks
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import nested, samples
from policyc.hooks.agents.evaluator import offline
from policyc.hooks.agents.gate import gate_line, generated
from policyc.hooks.command_line import closed
from policyc.hooks.generated import Generated
from policyc.hooks.target import HOST_TIMEOUT, Judgement, Options, Run, Samples, Target

NAME: Final = "windsurf"
PATH: Final = ".windsurf/hooks.json"
_EVENTS: Final = ("pre_run_command", "pre_write_code", "pre_read_code", "pre_mcp_tool_use")
_NOTES: Final = (
    "A hook has no timeout of its own here; one that hangs is taken to let the call run after "
    f"{HOST_TIMEOUT} s. The gate denies before.",
    "Hooks see commands, files read and written, and MCP tools: nothing else. There is no ask.",
    "An administrator locks hooks with /etc/windsurf/hooks.json.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    entry = {"command": closed(gate_line(NAME, options, data)), "show_output": True}
    merge = nested.merge(NAME, {event: [entry] for event in _EVENTS})
    return generated(
        data, options, fault="denied", merged={PATH: merge}, notes=[*offline(data, NAME), *_NOTES]
    )


def judge(run: Run) -> Judgement:
    """Exit code 2 blocks; output is not read."""
    return "blocked" if run.exit_code == 2 and not run.timed_out else "ran"


_ACTIONS: Final = {
    "shell.exec": ("run_command", "command_line"),
    "fs.read": ("read_code", "file_path"),
    "fs.write": ("write_code", "file_path"),
}


def _payload(when: str, kind: str, value: str) -> dict[str, Any]:
    action, key = _ACTIONS[kind]
    more = {"cwd": samples.CWD} if key == "command_line" else {}
    head = {"agent_action_name": f"{when}_{action}", "trajectory_id": "t", "execution_id": "e"}
    return {**head, "timestamp": "t", "tool_info": {key: value, **more}}


TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    nested.read_hooks(PATH, "pre_run_command", NAME, lambda _handler: HOST_TIMEOUT),
    Samples(lambda kind, value: _payload("pre", kind, value), lambda: _payload("post", "shell.exec", "true")),
    judge,
)
