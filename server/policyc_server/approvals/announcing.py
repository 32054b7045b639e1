"""What a webhook says about a new hold: enough to decide whether to look, with masked arguments."""

from __future__ import annotations

import json
from collections.abc import Sequence

from policyc_server.answers import encode
from policyc_server.approvals.approval import Approval
from policyc_server.events.documents import moment
from policyc_server.store.deliveries import Delivery

EVENT = "firewall.approval.pending"
_SHOWN = (
    "agent", "run", "session", "surface", "stage", "tool", "policy", "rule", "source", "revision", "reason",
    "reason_code",
)  # fmt: skip


class Announcer:
    """Makes the deliveries of a hold, one for each URL; ``public_url`` goes before the callback's path."""

    def __init__(self, urls: Sequence[str], public_url: str = "") -> None:
        self._urls = urls
        self._public_url = public_url

    def __call__(self, approval: Approval) -> list[Delivery]:
        body = encode(_document(approval, self._public_url)).decode() if self._urls else ""
        return [Delivery(approval.id, EVENT, url, body) for url in self._urls]


def _document(approval: Approval, public_url: str) -> dict[str, object]:
    return {
        "event": EVENT,
        "occurred_at": moment(approval.opened_at),
        "data": {
            "approval_id": approval.id,
            "expires_at": moment(approval.expires_at),
            "callback": f"{public_url}/v1/approvals/{approval.id}/callback",
            **{name: getattr(approval, name) for name in _SHOWN},
            "risk_factors": list(approval.risk_factors),
            "approvers": list(approval.approvers),
            "args": json.loads(approval.args_masked),
        },
    }
