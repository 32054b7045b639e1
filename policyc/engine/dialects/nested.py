"""The answers of Claude Code, which other agents took over: ``hookSpecificOutput``, or nothing.

An allow says nothing: ``permissionDecision: allow`` would skip the agent's own prompt. So does a rewrite with
``allow``, and then a secret planted in a command would get that command past the prompt: it says ``ask``.
https://code.claude.com/docs/en/hooks
"""

from __future__ import annotations

from policyc.engine.dialects.answers import SILENT, Answer, Emission, say, stop


def decision(word: str, reason: str, **more: object) -> dict[str, object]:
    """The document with the ``permissionDecision`` ``word``."""
    inner = {"hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {**inner, **more}}


def deny(reason: str) -> Answer:
    return say(decision("deny", reason))


def ask(reason: str) -> Answer:
    return say(decision("ask", reason))


def rewrite(args: object, reason: str) -> Answer:
    """``args`` replace all arguments."""
    return say(decision("ask", reason, updatedInput=args))


EMISSION = Emission(allow=SILENT, deny=deny, ask=ask, rewrite=rewrite, refuse=stop, done=SILENT)
