"""Approvals as the API writes them, by who reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from policyc_server.approvals.approval import APPROVED, PENDING, Approval
from policyc_server.approvals.rules import HoldRule
from policyc_server.events.documents import moment

#: What the key that opened the hold reads.
_OF_CALLER = (
    "id", "state", "cause", "tool", "policy", "rule", "reason", "decided_by", "comment",
)  # fmt: skip
_OF_REVIEWER = (
    *_OF_CALLER, "key", "agent", "run", "session", "surface", "stage", "revision", "source", "reason_code",
    "decided_from", "fingerprint",
)  # fmt: skip
_TIMES = ("opened_at", "expires_at", "decided_at", "consumed_at")


def caller_document(approval: Approval, secret: bytes) -> dict[str, Any]:
    """For the key that opened the hold: no arguments, and the token once it is approved."""
    token = approval.token(secret) if approval.state == APPROVED else None
    return {**_plain(approval, _OF_CALLER), "token": token}


def reviewer_document(
    approval: Approval, rules: Mapping[tuple[str, str], HoldRule], *, is_whole: bool
) -> dict[str, Any]:
    """For people. ``is_whole`` shows all arguments, as long as there are any: until it is decided."""
    rule = rules.get((approval.policy, approval.rule))
    whole = approval.args if is_whole and approval.state == PENDING else None
    return {
        **_plain(approval, _OF_REVIEWER),
        "risk_factors": list(approval.risk_factors),
        "approvers": list(approval.approvers),
        "context": json.loads(approval.context),
        "args": json.loads(approval.args_masked if whole is None else whole),
        "args_masked": whole is None,
        "rule_changed": rule is None or rule.digest != approval.rule_digest,
    }


def log_document(log: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Who did what to an approval, when, from where and why."""
    return [{**{name: entry[name] for name in _LOGGED}, "at": moment(entry["at"])} for entry in log]


_LOGGED = ("action", "by", "from", "why")


def _plain(approval: Approval, names: Sequence[str]) -> dict[str, Any]:
    times = ((name, getattr(approval, name)) for name in _TIMES)
    return {name: getattr(approval, name) for name in names} | {
        name: None if value is None else moment(value) for name, value in times
    }
