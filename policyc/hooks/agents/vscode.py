"""VS Code's local agent: a file of ours in ``.github/hooks/``.

https://code.visualstudio.com/docs/copilot/customization/hooks
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import judging, nested, samples
from policyc.hooks.agents.evaluator import offline
from policyc.hooks.agents.gate import gate_line, generated
from policyc.hooks.command_line import closed
from policyc.hooks.generated import Generated
from policyc.hooks.settings.json_edit import written
from policyc.hooks.target import HOST_TIMEOUT, Judgement, Options, Run, Target

NAME: Final = "vscode"
PATH: Final = ".github/hooks/policyc.vscode.json"
_NOTES: Final = (
    "What becomes of a call when its hook crashes or takes too long is not documented: taken for open here. "
    "The gate denies before.",
    "Copilot CLI may read .github/hooks too; the gate answers in the words of whoever asks.",
    "Newer versions send hooks to Copilot's runtime: generate the target copilot as well.",
    "An organisation can switch hooks off.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    line = closed(gate_line(NAME, options, data))
    entry = {"type": "command", "command": line, "timeout": HOST_TIMEOUT}
    files = {PATH: written({"hooks": {"PreToolUse": [entry]}})}
    return generated(data, options, fault="denied", files=files, notes=[*offline(data, NAME), *_NOTES])


def judge(run: Run) -> Judgement:
    """Exit code 2 blocks; otherwise a document on exit code 0 decides."""
    if run.timed_out:
        return "ran"
    if run.exit_code == 2:
        return "blocked"
    return judging.nested(judging.document(run.stdout)) if run.exit_code == 0 else "ran"


_MORE: Final = {"session_id": "s", "transcript_path": "t", "timestamp": "t", "tool_use_id": "tool-123"}
TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    nested.read_hooks(PATH, "PreToolUse", NAME, lambda handler: handler["timeout"]),
    samples.built(load(NAME), "PreToolUse", "PostToolUse", _MORE),
    judge,
)
