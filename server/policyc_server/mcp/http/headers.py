"""Headers of MCP over HTTP: what goes upstream, what comes back, and whether they say what the body says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PARAM_HEADER_PREFIX,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from policyc_server.mcp.messages import Message, Refused
from policyc_server.mcp.pins import Tool

SESSION = "mcp-session-id"
_PARAM = MCP_PARAM_HEADER_PREFIX.lower().encode()
_UP = frozenset(
    {
        "accept",
        "content-type",
        "last-event-id",
        SESSION,
        MCP_PROTOCOL_VERSION_HEADER,
        MCP_METHOD_HEADER,
        MCP_NAME_HEADER,
    }
)
_DOWN = ("content-type", "allow", "retry-after", "cache-control")
_INVALID = -32600


def upward(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The client's headers that are the protocol's. Raises Refused where one comes twice: readers differ in
    which they take. Those that repeat arguments are not among them: they are made of what was judged."""
    found: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1").lower()
        if key in _UP:
            if key in found:
                raise Refused(_INVALID, f"the header {key} comes twice")
            found[key] = value.decode("latin-1")
    return found


def repeat_arguments(raw: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether the client knows a tool that wants its arguments in headers as well."""
    return any(name.lower().startswith(_PARAM) for name, _ in raw)


def settle(message: Message, headers: dict[str, str]) -> None:
    """Takes headers that name a call out of ``headers`` where the revision has none, so that nobody goes by
    them. Raises Refused where those of a request say another thing than its body."""
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
        for name in (MCP_METHOD_HEADER, MCP_NAME_HEADER):
            headers.pop(name, None)
        return
    if not message.is_request:
        return
    verdict = classify_inbound_request(message.document, headers=headers)
    if isinstance(verdict, InboundLadderRejection):
        raise Refused(verdict.code, verdict.message, message.id, verdict.data)


def of_arguments(tool: Tool | None, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The headers in which a tool wants ``arguments`` repeated, as it declares; none of an unknown tool."""
    schema = None if tool is None else tool.get("inputSchema")
    if schema is None or find_invalid_x_mcp_header(schema) is not None:
        return {}
    return mcp_param_headers(x_mcp_header_map(schema), arguments)


def downward(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """The upstream's headers that reach the client; the session's is not one of them."""
    return [(name.encode(), headers[name].encode("latin-1")) for name in _DOWN if name in headers]
