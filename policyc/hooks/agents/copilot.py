"""GitHub Copilot's command line and cloud agent: a file of ours in ``.github/hooks/``.

Any exit code but 0 denies. The command is a line for both shells: the cloud agent reads the same file, and
``exec`` is only known of the command line. https://docs.github.com/en/copilot/reference/hooks-configuration
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.agents import judging, nested, samples
from policyc.hooks.agents.evaluator import Evaluator, evaluator, fails_open
from policyc.hooks.agents.gate import gate_line, generated
from policyc.hooks.generated import Generated
from policyc.hooks.settings.json_edit import written
from policyc.hooks.target import HOST_TIMEOUT, Judgement, Options, Run, Samples, Target

NAME: Final = "copilot"
PATH: Final = ".github/hooks/policyc.json"
_NOTES: Final = (
    "A hook that takes longer than its timeout lets the call run, an administrator's too; the gate "
    "denies before. "
    "The hooks of parallel calls run one after another on one clock (github/copilot-cli#2893).",
    "The cloud agent reads this file from the default branch, and takes ask for deny.",
    "VS Code may read .github/hooks too; the gate answers in the words of whoever asks.",
    "An administrator locks hooks of the command line in /etc/github-copilot/policy.d/.",
)


def generate(data: Mapping[str, Any], options: Options) -> Generated:
    line = gate_line(NAME, options, data)
    # Without a matcher: it would be compiled as ^(?:*)$, and an invalid one skips the hook.
    entry = {"type": "command", "bash": line, "powershell": line, "timeoutSec": HOST_TIMEOUT}
    server, after = evaluator(data, NAME, "pre"), evaluator(data, NAME, "post")
    events = {"preToolUse": [entry, *_http(server)], **({"postToolUse": _http(after)} if after else {})}
    files = {PATH: written({"version": 1, "hooks": events})}
    return generated(data, options, fault="denied", files=files, notes=[*fails_open(data, NAME), *_NOTES])


def _http(server: Evaluator | None) -> list[dict[str, Any]]:
    return [] if server is None else [{"type": "http", "url": server.url, "timeoutSec": server.timeout}]


def judge(run: Run) -> Judgement:
    """Any exit code but 0 denies, a timeout never. Lines of progress are no answer."""
    if run.timed_out:
        return "ran"
    if run.exit_code != 0:
        return "blocked"
    lines = [line for line in run.stdout.splitlines() if not _is_progress(line)]
    found = judging.document("\n".join(lines))
    return judging.word((found or {}).get("permissionDecision"))


def _is_progress(line: str) -> bool:
    return (judging.document(line) or {}).get("type") == "progress"


def _payload(kind: str, value: str) -> dict[str, Any]:
    name, args = samples.native_call(load(NAME), kind, value)
    head = {"sessionId": "s", "timestamp": 1730000000000, "cwd": samples.CWD}
    return {**head, "toolName": name, "toolArgs": json.dumps(args)}


def _post() -> dict[str, Any]:
    return {**_payload("shell.exec", "true"), "toolResult": {"resultType": "success"}}


TARGET: Final = Target(
    NAME,
    load(NAME),
    generate,
    nested.read_hooks(PATH, "preToolUse", NAME, lambda handler: handler["timeoutSec"]),
    Samples(_payload, _post),
    judge,
    nested.read_urls(PATH, "preToolUse", NAME),
)
