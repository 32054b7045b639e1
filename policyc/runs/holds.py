"""A held call and what a person said about it, as its caller is told."""

from __future__ import annotations

from policyc.engine.model import Call, Outcome

#: Seconds that a decision may take, and that it then is good for, where the rule does not say.
DEFAULT_TTL = 900
#: Reason codes of a call that does not pass although its rule can be approved, and what they say.
REFUSALS = {
    "approval_unknown": "the approval token is none of this server's",
    "approval_mismatch": (
        "the approval is for another call: another tool, agent, key, run or rule, or other arguments"
    ),
    "approval_used": "the approval let a call through already, and it is good for one",
    "approval_expired": "the approval was not given, or not used, in time",
    "approval_limit": "too many calls of this run, or of this agent, wait for a person already",
    "approval_split": (
        "several rules hold parts of this call, and nobody is an approver of all of them: make each part a "
        "call of its own"
    ),
}


def context_of(call: Call) -> dict[str, object]:
    """What the rules see of a call beside its arguments."""
    context = {
        "canonical": call.canonical,
        "cwd": call.cwd,
        "os": call.os,
        "realpaths": call.realpaths,
        "skill": call.skill,
    }
    return {name: value for name, value in context.items() if value is not None}


def passed(outcome: Outcome, by: str | None, comment: str | None) -> Outcome:
    """The outcome of a held call that a person approved."""
    return outcome.changed("allow", f"approved by {by}{_why(comment)}", "approved")


def denied(outcome: Outcome, by: str | None, comment: str | None, until: str) -> Outcome:
    """The outcome of one that a person denied, which stands ``until`` a time."""
    said = f"denied by {by}{_why(comment)} (stands until {until})"
    return outcome.changed("deny", f"{outcome.reason} ({said})", "approval_denied")


def refused(outcome: Outcome, code: str) -> Outcome:
    """The outcome of one that does not pass, by a code of ``REFUSALS``."""
    return outcome.changed("deny", f"{outcome.reason} ({REFUSALS[code]})", code)


def _why(comment: str | None) -> str:
    return f": {comment}" if comment else ""
