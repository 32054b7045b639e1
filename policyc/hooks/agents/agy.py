"""Antigravity's command line and editor: ``.agents/hooks.json``.

The managed agent of the Gemini API reads a file of the same name with other events, and this agent is
reported to drop a whole file on one group that it does not know: the two never go into one file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from policyc.compiler.hooks import EVENTS
from policyc.engine.dialects import load
from policyc.hooks.agents import judging, nested, samples
from policyc.hooks.agents.evaluator import offline
from policyc.hooks.agents.gate import gate_line, generated
from policyc.hooks.command_line import NO_GATE, answered
from policyc.hooks.errors import HooksError
from policyc.hooks.generated import Generated, Merge, Merged
from policyc.hooks.settings.merge import read_settings
from policyc.hooks.target import HOST_TIMEOUT, Hook, Judgement, Options, Run, Samples, Target

NAME: Final = "agy"
PATH: Final = ".agents/hooks.json"
GROUP: Final = "policyc"
_NOTES: Final = (
    "What becomes of a call when its hook takes too long, crashes or prints no JSON is not known for "
    "this agent; "
    "the gate denies before. An empty answer is a deny.",
    "One version (1.1.11) was reported to load hooks from installed plugins only: try a call that must "
    "be denied.",
    "No lock for administrators is known.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    line = answered(gate_line(NAME, options, data), NO_GATE)
    handler = {"type": "command", "command": line, "timeout": HOST_TIMEOUT}
    merge = Merge(lambda settings, _native: _merged(settings, {"PreToolUse": nested.group([handler])}))
    return generated(
        data,
        options,
        fault="denied, where a POSIX shell starts hooks",
        merged={PATH: merge},
        notes=[*offline(data, NAME), *_NOTES],
    )


def _merged(settings: dict[str, Any], ours: dict[str, Any]) -> Merged:
    for name, group in settings.items():
        if isinstance(group, dict) and any(event in group for event in EVENTS):
            message = (
                f"{name!r} has the events of the managed agent, and this agent drops a file with groups "
                "it does not know. Use one of the two in a repository"
            )
            raise HooksError("settings_invalid", message)
    return Merged({**settings, GROUP: ours})


def hooks(folder: Path) -> list[Hook]:
    group = read_settings(folder / PATH)[GROUP]
    handlers = [handler for entry in group["PreToolUse"] for handler in entry["hooks"]]
    return [Hook("PreToolUse", handler["command"], handler["timeout"], handler) for handler in handlers]


def judge(run: Run) -> Judgement:
    """No answer and an answer without a decision are denies; what a failure is, is not known."""
    if run.timed_out or run.exit_code != 0:
        return "ran"
    if not run.stdout.strip():
        return "blocked"
    found = judging.document(run.stdout)
    if found is None:
        return "ran"
    decision = found.get("decision")
    return "blocked" if decision is None else judging.word("ask" if decision == "force_ask" else decision)


def _payload(kind: str, value: str) -> dict[str, Any]:
    name, args = samples.native_call(load(NAME), kind, value)
    call = {"toolCall": {"name": name, "args": args}, "workspacePaths": [samples.CWD]}
    return {**call, "conversationId": "c", "stepIdx": 3, "modelName": "m", "transcriptPath": "t"}


TARGET: Final = Target(
    NAME, load(NAME), generate, hooks, Samples(_payload, lambda: _payload("shell.exec", "true")), judge
)
