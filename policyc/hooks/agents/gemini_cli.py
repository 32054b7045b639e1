"""Gemini CLI: ``.gemini/settings.json``, with timeouts in milliseconds, and a policy file.

https://geminicli.com/docs/hooks/reference/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import judging, nested, samples
from policyc.hooks.agents.evaluator import offline
from policyc.hooks.agents.gate import HOST_TIMEOUT_MS, gate_line, generated
from policyc.hooks.command_line import closed
from policyc.hooks.generated import Generated
from policyc.hooks.native import gemini_cli as native
from policyc.hooks.target import Judgement, Options, Run, Target

NAME: Final = "gemini-cli"
PATH: Final = ".gemini/settings.json"
POLICIES: Final = ".gemini/policies/policyc.toml"
_NOTES: Final = (
    "Hooks do not run in a folder that is not trusted, the user's and the system's neither: "
    "only the policy engine holds there.",
    "A hook that takes longer than its timeout lets the call run; the gate denies before.",
    "Hooks are no lock for administrators: the policy file in /etc/gemini-cli/policies/ is one.",
)
_NOT_READ: Final = (
    f"{POLICIES} is not read from the repository yet (google-gemini/gemini-cli#18186): copy it to "
    "~/.gemini/policies/, or as root to /etc/gemini-cli/policies/."
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    line = closed(gate_line(NAME, options, data))
    handler = {"name": "policyc", "type": "command", "command": line, "timeout": HOST_TIMEOUT_MS}
    policies, listed = native.policy_file(data)
    return generated(
        data,
        options,
        fault="denied",
        files={} if policies is None else {POLICIES: policies},
        merged={PATH: nested.merge(NAME, {"BeforeTool": nested.group([handler])})},
        native=listed,
        notes=[*offline(data, NAME), *_NOTES, *([_NOT_READ] if policies else [])],
    )


def judge(run: Run) -> Judgement:
    """A JSON object on stdout, else on stderr, counts on any exit code. Other text denies from exit code 2
    on. A signal without output is exit code 0."""
    if run.timed_out:
        return "ran"
    text = run.stdout.strip() or run.stderr.strip()
    found = judging.document(text)
    if found is not None:
        return judging.word(found.get("decision"))
    return "blocked" if text and run.exit_code >= 2 else "ran"


_MORE: Final = {"session_id": "s", "timestamp": "t", "transcript_path": "t"}
TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    nested.read_hooks(PATH, "BeforeTool", NAME, lambda handler: handler["timeout"] / 1000),
    samples.built(load(NAME), "BeforeTool", "AfterTool", _MORE),
    judge,
)
