"""A call that is stopped or held, as the caller of `/v1/enforce` reads it."""

from __future__ import annotations

from policyc.engine.decision import block_message, hold_message
from policyc.engine.model import Call, Outcome
from policyc_server.approvals.approval import APPROVED, Approval
from policyc_server.events.documents import moment
from policyc_server.snapshot import Snapshot

#: Common LLM clients retry a 400 or not by this header.
NO_RETRY = ((b"x-should-retry", b"false"),)

_LONGEST_NAME = 200
#: The reason code of a hold that nobody can release.
UNAVAILABLE = "approval_unavailable"
_NEEDED = "they need a store and a reviewer's key"
#: The header that an approved call brings its token in.
TOKEN_HEADER = "X-Firewall-Approval"


def close_hold(outcome: Outcome, verdict: str = "deny") -> Outcome:
    """`outcome`, or the closed answer where it asks for an approval that nothing here can give.

    A surface that blocks says `deny`; one that reports keeps the policy's `pending_approval` as `verdict`."""
    if outcome.verdict != "pending_approval":
        return outcome
    reason = f"{outcome.reason} (held for approval, and this server has no approvals: {_NEEDED})"
    return outcome.changed(verdict, reason, UNAVAILABLE)


def message(outcome: Outcome, call: Call) -> str:
    """What a person or a model reads: the tool, why, by which rule, and what to do next."""
    return block_message(outcome, call.tool[:_LONGEST_NAME])


def blocked_document(
    outcome: Outcome, call: Call, snapshot: Snapshot | None, decision_id: str
) -> dict[str, object]:
    """The body of HTTP 400 `firewall_blocked`."""
    return _error("firewall_blocked", message(outcome, call), metadata(outcome, snapshot, decision_id))


def pending_document(
    outcome: Outcome,
    call: Call,
    snapshot: Snapshot | None,
    decision_id: str,
    approval: Approval,
    public_url: str = "",
) -> dict[str, object]:
    """The body of HTTP 400 `firewall_approval_pending`."""
    facts = metadata(outcome, snapshot, decision_id) | where_to_poll(approval, public_url)
    next_step = f"Poll GET {facts['poll']}, then send the same call with its token in {TOKEN_HEADER}."
    said = hold_message(outcome, call.tool[:_LONGEST_NAME], approval.id, next_step)
    return _error("firewall_approval_pending", said, facts)


def hook_hold(outcome: Outcome, call: Call, approval: Approval) -> str:
    """What a model reads at a hook, where no token can travel."""
    waits = f"A reviewer decides until {moment(approval.expires_at)}"
    next_step = f"{waits}; once it is approved, the very same call passes once."
    return hold_message(outcome, call.tool[:_LONGEST_NAME], approval.id, next_step)


def where_to_poll(approval: Approval, public_url: str = "") -> dict[str, object]:
    """What the caller of a held call needs: `poll` is a URL, or, where `public_url` is not known, a path."""
    return {
        "approval_id": approval.id,
        "poll": f"{public_url}/v1/approvals/{approval.id}",
        "expires_at": moment(approval.expires_at),
        "approved": approval.state == APPROVED,
    }


def metadata(outcome: Outcome, snapshot: Snapshot | None, decision_id: str) -> dict[str, object]:
    """The facts of a decision that stops a call, for programs."""
    return {
        "rule": outcome.rule,
        "policy": outcome.policy,
        "reason_code": outcome.reason_code,
        "risk_factors": list(outcome.risk_factors),
        "decision_id": decision_id,
        "revision": "" if snapshot is None else snapshot.revision,
    }


def _error(code: str, said: str, facts: dict[str, object]) -> dict[str, object]:
    return {
        "error": {
            "code": code,
            "type": "invalid_request_error",
            "message": said,
            "metadata": facts,
            "skip_retry": True,
        }
    }
