"""The tools of a request to Anthropic's messages: the client's, the vendor's, those of MCP servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from policyc.engine.dialects.tools import FAMILIES
from policyc_server.gateway.vendors.shapes import as_list, as_object, as_text
from policyc_server.gateway.vendors.vendor import Document, Tool

_MCP_TOOLSET = "mcp_toolset"
_TOOLSET = "_toolset_"
#: How the types of tools start that the client runs; without a type it is the client's own.
_OF_CLIENT = ("custom", "bash_", "text_editor_", "computer_", "memory_")
#: How the types of hosted tools start whose calls also have other names, and these.
_ALSO = {"code_execution_": ("bash_code_execution", "text_editor_code_execution")}
_UNLISTED = (
    "its tools are not listed in the request, so they cannot be judged: name them (`tools` or `configs` of "
    "the toolset, with `default_config.enabled: false`)"
)
_FAMILY = "an MCP server of this name could pass for the built-in tools: rename it"


def tools_of(request: Document) -> Iterator[Tool]:
    """Raises Unreadable."""
    entries = [as_object(entry, "a tool") for entry in as_list(request.get("tools"), "tools")]
    for entry in entries:
        yield from _of_entry(entry)
    for server in _servers_alone(request, entries):
        listed = as_object(server.get("tool_configuration") or {}, "tool_configuration").get("allowed_tools")
        yield from _of_server(as_text(server.get("name"), "the name of an MCP server"), listed)


def without(request: Document, names: frozenset[str]) -> Document:
    """The request without the tools of these names, and without choices of them."""
    entries = request.get("tools") or []
    left = {**request, "tools": [one for entry in entries for one in _left(entry, names)]}
    if request.get("mcp_servers"):
        left["mcp_servers"] = [one for one in request["mcp_servers"] if not _is_denied(one, names)]
    choice = request.get("tool_choice")
    if not left["tools"]:
        del left["tools"]
    if isinstance(choice, dict) and (
        "tools" not in left or any(choice.get("name") == name for name in names)
    ):
        del left["tool_choice"]
    return left


def _of_entry(entry: Document) -> Iterator[Tool]:
    kind = entry.get("type") or "custom"
    kind = as_text(kind, "the type of a tool")
    if kind == _MCP_TOOLSET:
        yield from _of_server(as_text(entry.get("mcp_server_name"), "mcp_server_name"), _listed(entry))
        return
    name = as_text(entry.get("name") or kind.partition(_TOOLSET)[0], "the name of a tool")
    hosted = not kind.startswith(_OF_CLIENT) and _TOOLSET not in kind
    yield Tool(name, is_hosted=hosted)
    for start, others in _ALSO.items():
        if kind.startswith(start):
            yield from (Tool(other, is_hosted=True) for other in others)


def _of_server(server: str, listed: list[Any] | None) -> Iterator[Tool]:
    if server.lower() in FAMILIES:
        yield Tool(f"{server}.*", f"mcp.{server}.*", server, is_hosted=True, problem=_FAMILY)
        return
    if listed is None:
        yield Tool(f"{server}.*", f"mcp.{server}.*", server, is_hosted=True, problem=_UNLISTED)
        return
    for name in as_list(listed, "the tools of an MCP server"):
        yield mcp_tool(server, as_text(name, "the name of a tool"))


def mcp_tool(server: str, name: str) -> Tool:
    """A tool of an MCP server that the vendor asks."""
    return Tool(f"{server}.{name}", f"mcp.{server}.{name}", server, is_hosted=True)


def _listed(toolset: Document) -> list[Any] | None:
    """The names of the tools that a toolset turns on; None where it does not say all of them."""
    configs = as_object(toolset.get("configs") or {}, "configs")
    # What is no `false` may be read as left out.
    is_on = as_object(toolset.get("default_config") or {}, "default_config").get("enabled") is not False
    if toolset.get("tools") is not None:
        tools = as_list(toolset["tools"], "tools")
        pinned = [as_text(as_object(tool, "a tool").get("name"), "the name of a tool") for tool in tools]
        return [name for name in pinned if _is_on(configs.get(name), is_on)]
    return None if is_on else [name for name, config in configs.items() if _is_on(config, False)]


def _is_on(config: object, otherwise: object) -> bool:
    found = config.get("enabled", otherwise) if isinstance(config, dict) else otherwise
    return found is not False


def _servers_alone(request: Document, entries: list[Document]) -> Iterator[Document]:
    """The MCP servers that no toolset speaks of: all of their tools are offered."""
    named = [entry.get("mcp_server_name") for entry in entries if entry.get("type") == _MCP_TOOLSET]
    for entry in as_list(request.get("mcp_servers"), "mcp_servers"):
        server = as_object(entry, "an MCP server")
        if server.get("name") not in named:
            yield server


def _left(entry: Document, names: frozenset[str]) -> Iterator[Document]:
    """The entry, or what is left of it."""
    tools = list(_of_entry(entry))
    denied = [tool for tool in tools if tool.name in names]
    if not denied:
        yield entry
    elif entry.get("type") == _MCP_TOOLSET and len(denied) < len(tools):
        off = {tool.name.partition(".")[2]: {"enabled": False} for tool in denied}
        yield {**entry, "configs": {**(entry.get("configs") or {}), **off}}


def _is_denied(server: Document, names: frozenset[str]) -> bool:
    """Whether a tool of the server is denied for which no toolset can say so."""
    listed = (server.get("tool_configuration") or {}).get("allowed_tools")
    return any(tool.name in names for tool in _of_server(server["name"], listed))
