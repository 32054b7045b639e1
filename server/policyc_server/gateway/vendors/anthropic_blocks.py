"""Content blocks of Anthropic's messages, and which of them are calls."""

from __future__ import annotations

from policyc.engine.documents import Malformed
from policyc_server.gateway.documents import arguments_of
from policyc_server.gateway.vendors.vendor import NAMELESS, Document, ToolCall

#: Calls that the client answers, and those that the vendor has answered.
TOOL_USE = "tool_use"
SERVER_TOOL_USE = "server_tool_use"
MCP_TOOL_USE = "mcp_tool_use"
CALLS = frozenset((TOOL_USE, SERVER_TOOL_USE, MCP_TOOL_USE))
#: What says which call a block is.
KEYS = ("type", "name", "server_name", "toolset_name", "input")
_RESULT = "_result"
_NO_CALLS = frozenset(
    (
        "text",
        "thinking",
        "redacted_thinking",
        "container_upload",
        "compaction",
        "fallback",
        "mcp_tool_listing",
    )
)


def is_call(block: Document) -> bool:
    """Whether a block is a call, or may be one: it has arguments, or a type that is not known here."""
    kind = _text(block.get("type"))
    return "input" in block or kind is None or not (kind in _NO_CALLS or kind.endswith(_RESULT))


def is_known(block: Document) -> bool:
    return not is_call(block) or _text(block.get("type")) in CALLS


def call_of(block: Document, key: int, raw: str | Document | None) -> ToolCall:
    """The call that a block is, with its arguments."""
    kind, name = _text(block.get("type")), _text(block.get("name")) or NAMELESS
    if kind == MCP_TOOL_USE:
        server = _text(block.get("server_name")) or NAMELESS
        return ToolCall(key, f"{server}.{name}", raw, f"mcp.{server}.{name}", server, is_hosted=True)
    if kind == SERVER_TOOL_USE:
        return ToolCall(key, name, raw, is_hosted=True)
    if kind != TOOL_USE:
        return ToolCall(key, _text(block.get("name")) or kind or NAMELESS, None)
    toolset = _text(block.get("toolset_name"))
    return ToolCall(key, name if toolset is None else f"{toolset}.{name}", raw, owner=toolset)


def input_of(block: Document) -> str | Document | None:
    """The arguments of a whole block."""
    found = block.get("input")
    return found if isinstance(found, str | dict) else None


def id_of(block: Document) -> str | None:
    """What the result of a call names it by."""
    return _text(block.get("id"))


def answered(block: Document) -> str | None:
    """The call whose result a block is."""
    return _text(block.get("tool_use_id"))


def as_history(block: Document) -> Document:
    """A block as a request takes it back: with arguments that are JSON."""
    if _text(block.get("type")) in CALLS and isinstance(arguments_of(input_of(block)), Malformed):
        return {**block, "input": {}}
    return block


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
