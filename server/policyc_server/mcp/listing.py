"""Lists of tools on their way to a client: without those that no call could get, and those that are held.

A list is no authorisation: a call of a tool that is not in it is decided like any other.
"""

from __future__ import annotations

import logging
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from policyc.analysis.may_pass import may_pass
from policyc.engine.decision import visible
from policyc_server.auth.identity import ADMIN
from policyc_server.mcp.caller import Caller
from policyc_server.mcp.messages import Message, Refused, failure, success, written
from policyc_server.mcp.names import names
from policyc_server.mcp.pins import Pins
from policyc_server.snapshot import Serving

_log = logging.getLogger(__name__)

_INTERNAL = -32603
#: Names of held tools in one line of the log.
_SAID = 10


class Listing:
    """Filters lists of tools by what a caller may ever call, and by the pins."""

    def __init__(self, serving: Serving, pins: Pins) -> None:
        self._serving = serving
        self._pins = pins

    async def filtered(self, message: Message, server: str, caller: Caller) -> Message:
        """What to pass on of a server's ``message``: another one where it lists tools, which its shape tells,
        since a client may fetch an answer by another request than its own. An error where pins fail, or where
        readers may differ in what is listed."""
        try:
            tools = listed(message)
        except Refused as error:
            return written(failure(message.id, error.code, error.message))
        if tools is None:
            return message
        try:
            held = await self._pins.see(server, tools)
        except SQLAlchemyError:
            said = "the list of tools is held back: the store of accepted tools fails"
            return written(failure(message.id, _INTERNAL, said))
        if held:
            _log.warning(
                "MCP server %s: tools are held: %s", server, visible(", ".join(sorted(held)[:_SAID]))
            )
        shown = [
            tool
            for tool in tools
            if tool["name"] not in held and self._may_pass(tool["name"], server, caller)
        ]
        result = message.document["result"]
        if shown == result["tools"]:
            return message
        result = {**result, "tools": shown}
        if "cacheScope" in result:
            # Another caller may see other tools.
            result["cacheScope"] = "private"
        return written(success(message.id, result))

    def _may_pass(self, tool: str, server: str, caller: Caller) -> bool:
        snapshot = self._serving.snapshot
        if snapshot is None:  # for now; a list is often kept for long
            return True
        plan, identity = snapshot.evaluator.plan, caller.identity
        if identity is not None and identity.policy is not None:
            policy = plan.policies.get(identity.policy)
        elif identity is not None and identity.role != ADMIN:
            policy = plan.policy_for(identity.agent)
        else:
            policy = plan.policy_for(caller.agent)
        return may_pass(policy, names(server, tool), "mcp")


def listed(message: Message) -> list[dict[str, Any]] | None:
    """The tools in a response that lists some; items that are none are left out. Raises Refused."""
    result = message.document.get("result")
    if not isinstance(result, dict):
        return None
    if any(key != "tools" and key.casefold() == "tools" for key in result):
        # Readers that ignore case take it for the list.
        raise Refused(_INTERNAL, "the list of tools is under a key that some readers take for another")
    tools = result.get("tools")
    if not isinstance(tools, list):
        return None
    return [tool for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
