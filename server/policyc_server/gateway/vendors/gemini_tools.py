"""Tools that a Gemini request lets the model call, and the request without some of them.

https://ai.google.dev/api/caching#Tool
"""

from __future__ import annotations

from typing import Any

from policyc.engine.dialects.tools import FAMILIES
from policyc_server.gateway.vendors.gemini_names import key_of, listed, snake, value_of
from policyc_server.gateway.vendors.shapes import as_text
from policyc_server.gateway.vendors.vendor import Document, Tool, Unreadable

_DECLARED = "function_declarations"
_SERVERS = "mcp_servers"
#: Tools of the vendor whose calls the client carries out.
_CLIENTS = frozenset({"computer_use"})
_UNLISTED = "its calls run without coming back here, and which tools it has is not said"
_FAMILY = "an MCP server of this name could pass for the built-in tools: rename it"


def advertised(request: Document) -> list[Tool]:
    """All tools of the request, and cached content, which may hold tools that nobody can see.
    Raises Unreadable."""
    if value_of(_function_config(request), "stream_function_call_arguments"):
        raise Unreadable("arguments of calls that come in parts cannot be judged: leave that option out")
    found = [
        tool
        for entry in _entries(request)
        for key, value in entry.items()
        if value is not None
        for tool in _tools(key, value)
    ]
    is_cached = value_of(request, "cached_content") is not None
    return [*found, Tool("cached_content", is_hosted=True)] if is_cached else found


def without(request: Document, names: frozenset[str]) -> Document:
    """The request without the tools of these names, and without a function choice that may need them."""
    kept = dict(request)
    key = key_of(request, "tools")
    if key is not None:
        kept[key] = [left for entry in _entries(request) if (left := _entry_without(entry, names))]
        if not kept[key]:
            del kept[key]
    if "cached_content" in names:
        kept = {key: value for key, value in kept.items() if snake(key) != "cached_content"}
    allowed = value_of(_function_config(request), "allowed_function_names")
    needs_one = isinstance(allowed, list) and not names.isdisjoint(map(str, allowed))
    return loosened(kept) if needs_one or key not in kept else kept


def loosened(request: Document) -> Document:
    """The request without a configuration that forces a call."""
    key = key_of(request, "tool_config")
    if key is None or not isinstance(request[key], dict):
        return request
    left = {name: value for name, value in request[key].items() if snake(name) != "function_calling_config"}
    rest = {name: value for name, value in request.items() if name != key}
    return {**rest, key: left} if left else rest


def _function_config(request: Document) -> Document:
    config = value_of(request, "tool_config")
    inner = value_of(config, "function_calling_config") if isinstance(config, dict) else None
    return inner if isinstance(inner, dict) else {}


def _entries(request: Document) -> list[Document]:
    return listed(value_of(request, "tools"), "a tool")


def _tools(key: str, value: Any) -> list[Tool]:
    kind = snake(key)
    if kind == _DECLARED:
        return [Tool(_name(entry)) for entry in listed(value, "a function declaration")]
    if kind == _SERVERS:
        return [_of_server(_name(entry)) for entry in listed(value, "an MCP server")]
    return [Tool(kind, is_hosted=kind not in _CLIENTS)]


def _of_server(name: str) -> Tool:
    problem = _FAMILY if name in FAMILIES else _UNLISTED
    return Tool(name, f"mcp.{name}", name, is_hosted=True, problem=problem)


def _name(entry: Document) -> str:
    return as_text(value_of(entry, "name"), "the name of a tool")


def _entry_without(entry: Document, names: frozenset[str]) -> Document:
    left = {key: _value_without(key, value, names) for key, value in entry.items()}
    return {key: value for key, value in left.items() if value is not None}


def _value_without(key: str, value: Any, names: frozenset[str]) -> Any:
    """What is left under a key of a tool; None where nothing is."""
    if snake(key) not in (_DECLARED, _SERVERS):
        return None if snake(key) in names else value
    return [entry for entry in listed(value, "a tool") if _name(entry) not in names] or None
