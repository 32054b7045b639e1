"""A held call and what a person said about it, as its caller is told."""

from __future__ import annotations

from collections.abc import Sequence

from policyc.engine.model import Call, Outcome
from policyc.engine.outcomes import of_all

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


def arguments_of(call: Call) -> list[object]:
    """What identifies the arguments of a held call: the agent's own, and those that the rules see. Not all
    that a hook is told need be among the tool's own."""
    return [call.native_args, *(part.args for part in call.parts)]


def joint_approvers(named: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """Who may answer for all rules that hold a call, given whom each names: empty where none names anybody,
    None where nobody may."""
    lists = [names for names in named if names]
    if not lists:
        return ()
    return tuple(name for name in lists[0] if all(name in others for others in lists)) or None


def redacted(outcome: Outcome, parts: Sequence[Outcome]) -> Outcome:
    """What passes, without what the rules for other ``parts`` of the call take out."""
    configs = [part for part in parts if part.sanitize is not None]
    if not outcome.allowed or not configs:
        return outcome
    return outcome.changed("sanitize", outcome.reason, outcome.reason_code, of_all(configs).sanitize)


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
