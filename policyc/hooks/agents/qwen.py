"""Qwen Code: ``.qwen/settings.json``. Timeouts of commands are milliseconds, of HTTP hooks seconds.

https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import judging, nested, samples
from policyc.hooks.agents.evaluator import evaluator, fails_open
from policyc.hooks.agents.gate import HOST_TIMEOUT_MS, gate_line, generated
from policyc.hooks.command_line import closed
from policyc.hooks.generated import Generated
from policyc.hooks.target import Judgement, Options, Run, Target

NAME: Final = "qwen"
PATH: Final = ".qwen/settings.json"
_NOTES: Final = (
    "A hook that takes longer than its timeout lets the call run; the gate denies before.",
    "Without a terminal, a call that the policy would ask about is denied.",
    "The user can switch hooks off with disableAllHooks.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    line = closed(gate_line(NAME, options, data))
    handler = {"type": "command", "name": "policyc", "command": line, "timeout": HOST_TIMEOUT_MS}
    server, after = evaluator(data, NAME, "pre"), evaluator(data, NAME, "post")
    events = nested.events("PreToolUse", "PostToolUse", [handler, *nested.http(server)], after)
    merged = {PATH: nested.merge(NAME, events)}
    return generated(data, options, fault="denied", merged=merged, notes=[*fails_open(data, NAME), *_NOTES])


def judge(run: Run) -> Judgement:
    """Exit code 2 blocks, whatever is on stdout; otherwise a document on exit code 0 decides."""
    if run.timed_out:
        return "ran"
    if run.exit_code == 2:
        return "blocked"
    return judging.nested(judging.document(run.stdout)) if run.exit_code == 0 else "ran"


_MORE: Final = {
    "permission_mode": "default",
    "session_id": "s",
    "timestamp": "t",
    "tool_use_id": "u",
    "tool_call_id": "c",
}
TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    nested.read_hooks(PATH, "PreToolUse", NAME, lambda handler: handler["timeout"] / 1000),
    samples.built(load(NAME), "PreToolUse", "PostToolUse", _MORE),
    judge,
    nested.read_urls(PATH, "PreToolUse", NAME),
)
