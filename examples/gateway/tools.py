"""What the agent can do.

LLM APIs take no dots in names, so `crm__get_contact` is what a policy calls `crm.get_contact`."""

from __future__ import annotations

from collections.abc import Callable

from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp


def get_contact(id: int) -> str:
    return f"contact {id} is Ann of Acme"


def search(company: str) -> str:
    return f"{company} has one open invoice: 2,500.00"


def delete_contact(id: int) -> str:
    return f"contact {id} is gone"


def transfer(to: str, amount_cents: int) -> str:
    return f"paid {amount_cents / 100:,.2f} to {to}"


def release(service: str, environment: str) -> str:
    return f"{service} is live in {environment}"


TOOLS: dict[str, Callable[..., str]] = {
    "crm__get_contact": get_contact,
    "crm__search": search,
    "crm__delete_contact": delete_contact,
    "payment__transfer": transfer,
    "deploy__release": release,
}
#: The MCP servers that offer them too.
FAMILIES = ("crm", "payment", "deploy")


def mcp_server(family: str) -> ASGIApp:
    """The tools of one family as an MCP server."""
    server = MCPServer(family, log_level="ERROR")
    for name, tool in TOOLS.items():
        owner, _, own_name = name.partition("__")
        if owner == family:
            server.add_tool(tool, name=own_name)
    return server.streamable_http_app()
