"""Codex CLI: ``.codex/hooks.json`` and ``.codex/rules/``.

A deny needs a reason, exit code 2 a text on stderr; a decision it does not know runs the tool.
https://developers.openai.com/codex/hooks
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import judging, nested, samples
from policyc.hooks.agents.evaluator import Evaluator, asking, evaluator
from policyc.hooks.agents.gate import gate_line, generated
from policyc.hooks.command_line import closed, command_line
from policyc.hooks.generated import Generated
from policyc.hooks.native import codex as native
from policyc.hooks.target import HOST_TIMEOUT, Judgement, Options, Run, Target

NAME: Final = "codex"
PATH: Final = ".codex/hooks.json"
RULES: Final = ".codex/rules/policyc.rules"
_STATUS: Final = "Checking the policy"
_NOTES: Final = (
    "Trust it: start codex in this repository, trust the folder, and confirm the new hook under /hooks. "
    "Until its hash is trusted, and after each change of it, the hook does not run.",
    "A hook that takes longer than its timeout lets the call run; the gate denies before.",
    "Hooks never see hosted tools such as web search, nor files read without a shell; apply_patch, Code Mode "
    "and unified exec were reported to pass them by in some versions (openai/codex#26733, #27833, #23411): "
    "keep the sandbox on.",
    "An administrator locks hooks with allow_managed_hooks_only in requirements.toml.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    before, after = evaluator(data, NAME, "pre"), evaluator(data, NAME, "post")
    handlers = [
        _handler(closed(gate_line(NAME, options, data)), HOST_TIMEOUT),
        *([_handler(f"{_curl(before)} || exit 2", before.timeout + 5)] if before else []),
    ]
    # Without a matcher: `*` is no regular expression, and an invalid one drops the group.
    events = {"PreToolUse": nested.group(handlers, None)}
    if after:
        events["PostToolUse"] = nested.group([_handler(_curl(after), after.timeout + 5)], None)
    rules, listed = native.rules_file(data)
    return generated(
        data,
        options,
        fault="denied",
        files={} if rules is None else {RULES: rules},
        merged={PATH: nested.merge(NAME, events)},
        native=listed,
        notes=[*_NOTES, *_server_note(before), *asking(data, NAME)],
    )


def _handler(line: str, timeout: int) -> dict[str, Any]:
    return {"type": "command", "command": line, "timeout": timeout, "statusMessage": _STATUS}


def _curl(server: Evaluator) -> str:
    # curl says on stderr why it failed, so exit code 2 counts.
    wait = ["--max-time", str(server.timeout), "--data-binary", "@-"]
    return command_line(["curl", "-sSf", "-H", "Content-Type: application/json", *wait, server.url])


def _server_note(server: Evaluator | None) -> list[str]:
    if server is None:
        return []
    return [
        f"The evaluator ({server.url}) is asked through curl, without a header of network.allowlist: "
        "while it cannot be reached, calls are denied."
    ]


def judge(run: Run) -> Judgement:
    """Exit code 2 with a text on stderr blocks. On exit code 0, a deny with a reason, and nothing "
    "beside it."""
    if run.timed_out:
        return "ran"
    if run.exit_code == 2:
        return "blocked" if run.stderr.strip() else "ran"
    found = judging.document(run.stdout)
    if run.exit_code != 0 or judging.nested(found) != "blocked":
        return "ran"
    return "blocked" if _is_whole(found or {}) else "ran"


_KEYS: Final = {"hookEventName", "permissionDecision", "permissionDecisionReason"}


def _is_whole(found: dict[str, Any]) -> bool:
    inner = found["hookSpecificOutput"]
    reason = inner.get("permissionDecisionReason")
    return set(found) == {"hookSpecificOutput"} and set(inner) <= _KEYS and bool(str(reason or "").strip())


_MORE: Final = {
    "permission_mode": "default",
    "session_id": "s",
    "turn_id": "t",
    "transcript_path": None,
    "model": "m",
    "tool_use_id": "c",
}
_PATCH: Final = "*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch"
_CALLS: Final[samples.Calls] = {
    "fs.read": lambda path: ("Bash", {"command": command_line(["cat", path])}),
    "fs.write": lambda path: ("apply_patch", {"command": _PATCH.format(path)}),
}
TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    nested.read_hooks(PATH, "PreToolUse", NAME, lambda handler: handler["timeout"]),
    samples.built(load(NAME), "PreToolUse", "PostToolUse", _MORE, _CALLS),
    judge,
)
