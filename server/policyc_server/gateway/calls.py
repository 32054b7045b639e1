"""From a tool of an LLM's API to a call with every name that policies may know it by."""

from __future__ import annotations

from policyc.engine.dialects.wire import read_wire
from policyc.engine.model import Call, Unspoken
from policyc_server.gateway.vendors.vendor import Tool, ToolCall


def call_of(tool: Tool | ToolCall, args: object, stage: str) -> Call:
    """The call of `tool` with `args`, which may be Unspoken. Raises CallError where its name could pass for
    another tool's."""
    if tool.canonical is None:
        found = read_wire(tool.name, args, stage)
    else:
        found = Call(tool.name, args, stage, canonical=tool.canonical)
    for part in found.parts:
        part.stage = part.surface = stage
        part.skill = tool.owner
        if isinstance(part.native_args, Unspoken):
            part.native_args = {}
    return found
