"""Tools that a request to OpenAI responses lets the model call, and the request without some of them.

https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from policyc.engine.dialects.tools import FAMILIES
from policyc_server.gateway.vendors.shapes import as_list, as_object, as_text
from policyc_server.gateway.vendors.vendor import Document, Tool

_UNLISTED = "its calls run without coming back here, and which tools it has is not said: list `allowed_tools`"
_FAMILY = "an MCP server of this name could pass for the built-in tools: rename it"


class _BuiltIn(NamedTuple):
    name: str
    canonical: str | None = None
    is_hosted: bool = True


_BUILT_IN = {
    "shell": _BuiltIn("shell", "shell.exec", is_hosted=False),
    "local_shell": _BuiltIn("local_shell", "shell.exec", is_hosted=False),
    "apply_patch": _BuiltIn("apply_patch", "fs.edit", is_hosted=False),
    "computer": _BuiltIn("computer", is_hosted=False),
    "computer_use_preview": _BuiltIn("computer", is_hosted=False),
    "web_search_preview": _BuiltIn("web_search"),
}


def advertised(request: Document) -> list[Tool]:
    """All tools of the request: its own, those that items of its input bring, and a stored prompt's, which
    nobody can see. Raises Unreadable."""
    found = [tool for entry in _entries(request) for tool in _tools(entry)]
    return found if request.get("prompt") is None else [*found, Tool("prompt", is_hosted=True)]


def without(request: Document, names: frozenset[str]) -> Document:
    """The request without the tools of these names, and without a tool choice that needs one of them."""
    kept = {**request, "tools": _kept(as_list(request.get("tools"), "tools"), names)}
    if isinstance(request.get("input"), list):
        kept["input"] = [_item_without(item, names) for item in request["input"]]
    if "prompt" in names:
        kept.pop("prompt", None)
    if _names_one(request.get("tool_choice"), names) or not kept["tools"]:
        kept.pop("tool_choice", None)
    if not kept["tools"]:
        del kept["tools"]
        kept.pop("parallel_tool_calls", None)
    return kept


def _entries(request: Document) -> Iterator[Document]:
    lists = [request.get("tools")]
    items = request.get("input")
    if isinstance(items, list):
        lists += [item.get("tools") for item in items if _brings_tools(item)]
    for entries in lists:
        for entry in as_list(entries, "tools"):
            yield as_object(entry, "a tool")


def _brings_tools(item: object) -> bool:
    """Whether an item of the input may bring tools. What an MCP server listed earlier comes back as such, and
    brings none beyond those of its server's entry."""
    return isinstance(item, dict) and item.get("type") != "mcp_list_tools"


def _tools(entry: Document) -> list[Tool]:
    kind = as_text(entry.get("type"), "the type of a tool")
    if kind in ("function", "custom"):
        return [Tool(as_text(entry.get("name"), "the name of a tool"))]
    if kind == "namespace":
        return [tool for inner in _inner(entry) for tool in _tools(inner)]
    return _of_server(entry) if kind == "mcp" else [_built_in(kind, entry)]


def _inner(entry: Document) -> list[Document]:
    """The tools of a namespace, which calls name `<namespace>.<tool>`."""
    space = as_text(entry.get("name"), "the name of a namespace")
    inner = [as_object(tool, "a tool") for tool in as_list(entry.get("tools"), "the tools of a namespace")]
    return [{**tool, "name": f"{space}.{as_text(tool.get('name'), 'the name of a tool')}"} for tool in inner]


def _built_in(kind: str, entry: Document) -> Tool:
    known = _BUILT_IN.get(_undated(kind)) or _BuiltIn(_undated(kind))
    environment = entry.get("environment")
    is_remote = kind == "shell" and environment is not None and _type(environment) != "local"
    is_searched_here = kind == "tool_search" and entry.get("execution") == "client"
    return Tool(
        known.name, known.canonical, is_hosted=(known.is_hosted or is_remote) and not is_searched_here
    )


def _undated(kind: str) -> str:
    """The type without the date of its version: `web_search_2025_08_26`."""
    return kind.rstrip("0123456789_")


def _type(value: object) -> object:
    return value.get("type") if isinstance(value, dict) else None


def _of_server(entry: Document) -> list[Tool]:
    label = as_text(entry.get("server_label"), "the label of an MCP server")
    problem = _FAMILY if label in FAMILIES else None
    names = _allowed(entry)
    asks_first = entry.get("require_approval") in (None, "always")
    if names is None:
        unlisted = None if asks_first else _UNLISTED
        return [Tool(label, f"mcp.{label}", label, is_hosted=not asks_first, problem=problem or unlisted)]
    return [
        Tool(f"{label}.{name}", f"mcp.{label}.{name}", label, is_hosted=not asks_first, problem=problem)
        for name in names
    ]


def _allowed(entry: Document) -> list[str] | None:
    """The tools that an MCP server is limited to; None where it is not."""
    allowed = entry.get("allowed_tools")
    names = allowed.get("tool_names") if isinstance(allowed, dict) else allowed
    if names is None:
        return None
    return [as_text(name, "the name of a tool") for name in as_list(names, "allowed_tools")]


def _item_without(item: Any, names: frozenset[str]) -> Any:
    if not _brings_tools(item) or not isinstance(item.get("tools"), list):
        return item
    return {**item, "tools": _kept(item["tools"], names)}


def _kept(entries: list[Document], names: frozenset[str]) -> list[Document]:
    return [kept for entry in entries if (kept := _entry_without(entry, names)) is not None]


def _entry_without(entry: Document, names: frozenset[str]) -> Document | None:
    found = [tool.name for tool in _tools(entry)]
    if names.isdisjoint(found):
        return entry
    if entry["type"] == "namespace":
        space = f"{entry['name']}."
        kept = [tool for tool in entry["tools"] if space + tool["name"] not in names]
        return {**entry, "tools": kept} if kept else None
    kept_names = (
        [name for name in _allowed(entry) or () if f"{entry['server_label']}.{name}" not in names]
        if (entry["type"] == "mcp")
        else []
    )
    return {**entry, "allowed_tools": kept_names} if kept_names else None


def _names_one(choice: object, names: frozenset[str]) -> bool:
    """Whether a tool choice asks for one of ``names``; a list does as soon as one is on it."""
    if not isinstance(choice, dict):
        return False
    if isinstance(choice.get("tools"), list):
        return any(_names_one(inner, names) for inner in choice["tools"])
    label, name = choice.get("server_label"), choice.get("name")
    if label is not None:
        return any(
            found in (label, f"{label}.{name}") or (name is None and found.startswith(f"{label}."))
            for found in names
        )
    wanted = name or _built_in(str(choice.get("type")), {}).name
    return any(wanted == found for found in names)
