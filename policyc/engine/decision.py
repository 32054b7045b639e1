"""An outcome as people, programs and models read it."""

from __future__ import annotations

from policyc.engine.model import Call, Outcome


def decision_document(outcome: Outcome, call: Call, *, decision_id: str, revision: str) -> dict[str, object]:
    """The decision as a JSON object. ``args`` are the arguments to run the tool with."""
    return {
        "decision_id": decision_id,
        "verdict": outcome.verdict,
        "allowed": outcome.allowed,
        "rule": outcome.rule,
        "policy": outcome.policy,
        "priority": outcome.priority,
        "reason": outcome.reason,
        "reason_code": outcome.reason_code,
        "risk_factors": list(outcome.risk_factors),
        "shadow": outcome.shadow,
        "would_be": outcome.would_be,
        "revision": revision,
        "args": arguments(outcome, call),
    }


def decision_line(outcome: Outcome) -> str:
    """The decision in one line: ``denied (deny) by rule "x" of policy "p" (file:line): reason``."""
    word = "allowed" if outcome.allowed else "held" if outcome.verdict == "pending_approval" else "denied"
    return visible(f"{word} ({outcome.verdict}) by {_author(outcome)}: {outcome.reason}")


def block_message(outcome: Outcome, tool: str) -> str:
    """What a blocked caller reads: the tool, why, which rule where, and what to do next; or what a person
    is asked, where the verdict leaves the call to one."""
    said, next_step = _MESSAGES.get(outcome.verdict, _BLOCKED)
    return visible(f'tool "{tool}" {said}: {outcome.reason} [{_author(outcome)}]. {next_step}')


def hold_message(outcome: Outcome, tool: str, approval: str, next_step: str) -> str:
    """What the caller of a call that waits for a reviewer reads; the id comes before what may be long."""
    said = f'tool "{tool}" held for approval {approval}: {outcome.reason}'
    return visible(f"{said} [{_author(outcome)}]. {next_step}")


_BLOCKED = (
    "blocked by firewall",
    "The same call will be blocked again: change the call, use another tool, or ask a person.",
)
_MESSAGES = {
    "pending_approval": ("needs approval", "Let it run only if you want this very call."),
    "sanitize": ("runs with redacted arguments", "Let it run only if you want the call as it is shown."),
}


def arguments(outcome: Outcome, call: Call) -> object:
    """The agent's own arguments to run the tool with."""
    if outcome.sanitize is None:
        return call.native_args
    from policyc.engine.sanitize import compile  # most plans sanitize nothing

    return compile(outcome.sanitize).redact(call.native_args)


def visible(text: str) -> str:
    """``text`` on one line: what a terminal or a log would act on instead of showing is escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in text)


def _author(outcome: Outcome) -> str:
    if outcome.policy is None:
        return "no policy"
    if outcome.rule is None:
        return f'the default of policy "{outcome.policy}" ({outcome.source})'
    return f'rule "{outcome.rule}" of policy "{outcome.policy}" ({outcome.source})'
