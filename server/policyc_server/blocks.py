"""A call that is stopped, as the caller of `/v1/enforce` reads it."""

from __future__ import annotations

from policyc.engine.decision import block_message
from policyc.engine.model import Call, Outcome
from policyc_server.snapshot import Snapshot

#: Common LLM clients retry a 400 or not by this header.
NO_RETRY = ((b"x-should-retry", b"false"),)

_LONGEST_NAME = 200
_NO_APPROVALS = "approval_unavailable"


def close_hold(outcome: Outcome, verdict: str = "deny") -> Outcome:
    """`outcome`, or the closed answer where it asks for an approval that nothing here can give.

    A surface that blocks says `deny`; one that reports keeps the policy's `pending_approval` as `verdict`."""
    if outcome.verdict != "pending_approval":
        return outcome
    reason = f"{outcome.reason} (held for approval, and this server has no approvals)"
    return outcome.changed(verdict, reason, _NO_APPROVALS)


def message(outcome: Outcome, call: Call) -> str:
    """What a person or a model reads: the tool, why, by which rule, and what to do next."""
    return block_message(outcome, call.tool[:_LONGEST_NAME])


def blocked_document(
    outcome: Outcome, call: Call, snapshot: Snapshot | None, decision_id: str
) -> dict[str, object]:
    """The body of HTTP 400 `firewall_blocked`."""
    return {
        "error": {
            "code": "firewall_blocked",
            "type": "invalid_request_error",
            "message": message(outcome, call),
            "metadata": {
                "rule": outcome.rule,
                "policy": outcome.policy,
                "reason_code": outcome.reason_code,
                "risk_factors": list(outcome.risk_factors),
                "decision_id": decision_id,
                "revision": "" if snapshot is None else snapshot.revision,
            },
            "skip_retry": True,
        }
    }
