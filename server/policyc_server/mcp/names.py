"""Names of the tools of MCP servers, as rules see them."""

from __future__ import annotations

from typing import Any

from policyc.engine.model import Call


def native(server: str, tool: str) -> str:
    """`<server>.<tool>`, the name that events and approvals show."""
    return f"{server}.{tool}"


def names(server: str, tool: str) -> tuple[str, str]:
    """Both names that a rule's glob may match."""
    return native(server, tool), f"mcp.{server}.{tool}"


def call_of(
    server: str, tool: str, arguments: dict[str, Any], *, agent: str | None, session: str | None
) -> Call:
    """The call as the rules see it; its run is the session, where the caller has one."""
    name, canonical = names(server, tool)
    call = Call(name, arguments, "mcp", agent, canonical=canonical, run=session)
    call.session = session
    return call
