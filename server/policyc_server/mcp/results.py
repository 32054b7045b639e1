"""What a client gets in the place of a tool's own result."""

from __future__ import annotations

from typing import Any

from mcp_types import CallToolResult, TextContent

from policyc.engine.model import Call, Outcome
from policyc_server.approvals.approval import Approval
from policyc_server.blocks import hook_hold, message, metadata, where_to_poll
from policyc_server.snapshot import Snapshot

#: Where the metadata is in every such result, also in one that has no `structuredContent`.
META_KEY = "policyc/decision"


def blocked_result(
    outcome: Outcome,
    call: Call,
    snapshot: Snapshot | None,
    decision_id: str,
    approval: Approval | None,
    *,
    has_schema: bool,
) -> dict[str, Any]:
    """The result of a call that is denied or waits for a person: text for the model, facts for programs.

    ``has_schema``: the tool declares what its `structuredContent` looks like, and some clients hold errors
    against that too, so the facts are in `_meta` alone.
    """
    facts = {"code": "firewall_blocked", **metadata(outcome, snapshot, decision_id)}
    text = message(outcome, call)
    if approval is not None:
        facts |= {"code": "firewall_approval_pending", **where_to_poll(approval)}
        text = hook_hold(outcome, call, approval)
    result = CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=None if has_schema else facts,
        is_error=True,
        _meta={META_KEY: facts},
    )
    document: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    # What is None in the facts says that there is none.
    document["_meta"][META_KEY] = facts
    if not has_schema:
        document["structuredContent"] = facts
    return document
