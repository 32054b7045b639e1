"""Kiro: an agent of the command line (version 2) and ``.kiro/hooks/`` (version 3, and the editor).

Exit code 2 denies. An allow is not kept for later calls: ``cache_ttl_seconds`` is 0.
https://kiro.dev/docs/cli/hooks/
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import nested, samples
from policyc.hooks.agents.evaluator import offline
from policyc.hooks.agents.gate import HOST_TIMEOUT_MS, gate_line, generated
from policyc.hooks.command_line import closed
from policyc.hooks.generated import Generated
from policyc.hooks.settings.json_edit import written
from policyc.hooks.target import HOST_TIMEOUT, Hook, Judgement, Options, Run, Target

NAME: Final = "kiro"
#: An agent of the command line, version 2: settings of the person's own may stand beside the hooks.
AGENT: Final = ".kiro/agents/policyc.json"
#: Version 3 and the editor: a file of ours.
HOOKS: Final = ".kiro/hooks/policyc.json"
_NOTES: Final = (
    "Command line 2 runs hooks of the agent that is in use: start it with `--agent policyc`, or copy "
    "`hooks` "
    f"from {AGENT} into your own agents.",
    "That exit code 2 denies is documented for version 2; for version 3 and the editor it is not confirmed. "
    "Editors before 1.0 never close the hook's input: there the gate denies at its deadline.",
    "A hook that takes longer than its timeout lets the call run; the gate denies before. There is no ask.",
    "No lock for administrators is known.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    line = closed(gate_line(NAME, options, data))
    entry = {"matcher": "*", "command": line, "timeout_ms": HOST_TIMEOUT_MS, "cache_ttl_seconds": 0}
    start = {"name": "policyc", "description": "The default agent, under policy.", "tools": ["*"]}
    return generated(
        data,
        options,
        fault="denied",
        files={HOOKS: written({"version": "v1", "hooks": [_newer(line)]})},
        merged={AGENT: nested.merge(NAME, {"preToolUse": [entry]}, start)},
        notes=[*offline(data, NAME), *_NOTES],
    )


def _newer(line: str) -> dict[str, Any]:
    # The matcher is a regular expression here, and `*` is none.
    return {
        "name": "policyc",
        "trigger": "PreToolUse",
        "matcher": ".*",
        "action": {"type": "command", "command": line},
        "timeout": HOST_TIMEOUT,
        "enabled": True,
    }


_older = nested.read_hooks(AGENT, "preToolUse", NAME, lambda handler: handler["timeout_ms"] / 1000)


def hooks(folder: Path) -> list[Hook]:
    """The hook of each format."""
    entries = json.loads((folder / HOOKS).read_text("utf-8"))["hooks"]
    newer = [Hook(one["trigger"], one["action"]["command"], one["timeout"], one) for one in entries]
    return [*_older(folder), *newer]


def judge(run: Run) -> Judgement:
    """Exit code 2 blocks; output is not read."""
    return "blocked" if run.exit_code == 2 and not run.timed_out else "ran"


_CALLS: Final[samples.Calls] = {
    "fs.read": lambda path: ("fs_read", {"operations": [{"mode": "Line", "path": path}]}),
    "fs.write": lambda path: ("fs_write", {"command": "create", "path": path, "file_text": "x"}),
}
TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    hooks,
    samples.built(load(NAME), "preToolUse", "postToolUse", {}, _CALLS),
    judge,
)
