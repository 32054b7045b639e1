"""From a tool's name on the wire to a call with every name that policies may know it by."""

from __future__ import annotations

from policyc.engine.dialects import owners
from policyc.engine.dialects.mcp import double_underscore
from policyc.engine.dialects.tools import CallError, together
from policyc.engine.model import Call, Unspoken
from policyc_server.gateway.vendors.vendor import Tool, ToolCall

#: APIs take no dots in names of tools, so agents write this instead.
_DOT = "__"


def call_of(tool: Tool | ToolCall, args: object, stage: str) -> Call:
    """The call of `tool` with `args`, which may be Unspoken. Raises CallError where its name could pass for
    another tool's."""
    found = _known(tool.name, args, stage) if tool.canonical is None else None
    if found is None:
        found = Call(tool.name, args, stage, canonical=tool.canonical or _dotted(tool.name))
    for part in found.parts:
        part.stage = part.surface = stage
        part.skill = tool.owner
        if isinstance(part.native_args, Unspoken):
            part.native_args = {}
    return found


def _known(name: str, args: object, stage: str) -> Call | None:
    """The call as agents with such a tool mean it."""
    mcp = double_underscore(name)
    if mcp is not None:
        parts = mcp.parts({}, "$")
        return together(Call(name, args, stage, canonical=part.canonical) for part in parts)
    for dialect in owners(name):
        if not isinstance(args, dict):
            tool = dialect.tools[name]
            return together(Call(name, args, stage, canonical=one) for one in (tool.canonical, *tool.also))
        try:
            return dialect.call(name, args)
        except CallError:
            # Somebody else's tool of the same name.
            continue
    return None


def _dotted(name: str) -> str | None:
    parts = name.split(_DOT)
    return ".".join(parts) if len(parts) > 1 and all(parts) else None
