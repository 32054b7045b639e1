"""Codex: Claude Code's envelope with a ``turn_id``; files are changed by patches and read by the shell.

It knows no ask, and an answer with a key or a decision that it does not support is void: the tool runs.
https://developers.openai.com/codex/hooks
"""

from __future__ import annotations

from policyc.engine.dialects import nested
from policyc.engine.dialects.acting import patch_tool, shell_tool
from policyc.engine.dialects.answers import SILENT, Answer, Emission, say, stop
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import double_underscore
from policyc.engine.dialects.named_tools import NamedTools

TOOLS = {"Bash": shell_tool("command"), "apply_patch": patch_tool("command")}


def _rewrite(args: object, _reason: str) -> Answer:
    # Here `allow` is what carries the arguments; without them it is void.
    inner = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": args}
    return say({"hookSpecificOutput": inner})


_TOOLS = NamedTools(TOOLS, double_underscore, rewrites=True)
DIALECT = Dialect(
    "codex",
    TOOLS,
    _TOOLS.read,
    _TOOLS.call,
    Emission(allow=SILENT, deny=nested.deny, rewrite=_rewrite, refuse=stop, done=SILENT),
)
