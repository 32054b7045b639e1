"""Claude Code: ``.claude/settings.json``.

The hook is started without a shell, so no profile can print before it (anthropics/claude-code#21992), and
``onFailure: block`` (2.1.295 and later) makes a crash, a timeout and anything but JSON a deny.
https://code.claude.com/docs/en/hooks
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import judging, nested, samples
from policyc.hooks.agents.evaluator import evaluator, fails_open
from policyc.hooks.agents.gate import gate, generated
from policyc.hooks.generated import Generated, Merge, Merged
from policyc.hooks.native import claude_code as native
from policyc.hooks.settings.entries import Ours, with_hooks
from policyc.hooks.target import GATE_FOLDER, HOST_TIMEOUT, Judgement, Options, Run, Target

NAME: Final = "claude-code"
PATH: Final = ".claude/settings.json"
_RECORD: Final = f".policyc/native/{NAME}.json"
_NOTES: Final = (
    "onFailure needs Claude Code 2.1.295. Before it, a hook that crashes or takes longer than "
    f"{HOST_TIMEOUT} s lets the call run; permissions.deny holds in any version.",
    "Hooks never see @file references in a prompt: a file named there is read without one.",
    "On Windows, hooks were reported not to run before MCP calls (anthropics/claude-code#85479): "
    "permissions.deny and a gateway hold there.",
    "Cursor, Copilot CLI and VS Code read this file too; the gate answers in the words of whoever asks. "
    "One that does not know `args` starts the interpreter alone, which checks nothing: generate its target "
    "as well.",
    "The user can switch project hooks off. An administrator locks them with allowManagedHooksOnly in "
    "/etc/claude-code/managed-settings.json.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    command, *args = gate(NAME, options, data, f"${{CLAUDE_PROJECT_DIR}}/{GATE_FOLDER}")
    handler = {
        "type": "command",
        "command": command,
        "args": args,
        "timeout": HOST_TIMEOUT,
        "onFailure": "block",
    }
    server, after = evaluator(data, NAME, "pre"), evaluator(data, NAME, "post")
    events = nested.events("PreToolUse", "PostToolUse", [handler, *nested.http(server)], after)
    rules, listed = native.deny_rules(data)
    return generated(
        data,
        options,
        fault="denied (not checked before 2.1.295)",
        merged={PATH: _merge(events, rules)},
        native=listed,
        notes=[*fails_open(data, NAME), *_NOTES],
        from_root=False,
    )


def _merge(events: dict[str, list[Any]], rules: list[str]) -> Merge:
    def apply(settings: dict[str, Any], earlier: Sequence[str]) -> Merged:
        found, added = native.with_deny_rules(settings, rules, earlier)
        return Merged(with_hooks(found, events, Ours(NAME)), nested.switched_off(settings), added)

    return Merge(apply, _RECORD)


def judge(run: Run) -> Judgement:
    """JSON counts on any exit code, exit code 2 always blocks, and a failure is what ``onFailure`` says."""
    found = judging.document(run.stdout)
    decided = judging.nested(found)
    if run.timed_out:
        return _on_failure(run)
    if run.exit_code == 2 or decided != "ran":
        return "blocked" if run.exit_code == 2 else decided
    failed = run.exit_code != 0 or (run.stdout.strip() and found is None)
    return _on_failure(run) if failed else "ran"


def _on_failure(run: Run) -> Judgement:
    return "blocked" if run.entry.get("onFailure") == "block" else "ran"


_MORE: Final = {
    "permission_mode": "default",
    "session_id": "s",
    "transcript_path": "t",
    "tool_use_id": "toolu_1",
}
TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    nested.read_hooks(
        PATH, "PreToolUse", NAME, lambda handler: handler["timeout"], CLAUDE_PROJECT_DIR="{folder}"
    ),
    samples.built(load(NAME), "PreToolUse", "PostToolUse", _MORE),
    judge,
    nested.read_urls(PATH, "PreToolUse", NAME),
    {"onFailure": "block"},
)
