"""Names of tools as the APIs of LLMs carry them: without dots, and for any agent's client."""

from __future__ import annotations

from policyc.engine.dialects import owners
from policyc.engine.dialects.mcp import double_underscore
from policyc.engine.dialects.tools import CallError, together
from policyc.engine.model import Call

#: What agents write in the place of a dot.
_DOT = "__"


def read_wire(name: str, args: object, stage: str) -> Call:
    """The call of the tool ``name``, with every name that policies may know it by; ``args`` may be Unspoken.
    Raises CallError where the name could pass for another tool's."""
    call = _known(name, args, stage) or Call(name, args, stage, canonical=_dotted(name))
    for part in call.parts:
        part.stage = stage
    return call


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
