"""How each agent words a tool call: its payload, its tool names, its argument keys, its answer.

One module per agent, each with one ``DIALECT``; it is imported when it is asked for.
"""

from __future__ import annotations

from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.shapes import possible

#: Every target -> its module.
MODULES = {
    "managed": "managed",
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini-cli": "gemini_cli",
    "copilot": "copilot",
    "cursor": "cursor",
    "qwen": "qwen",
    "vscode": "vscode",
    "kiro": "kiro",
    "windsurf": "windsurf",
    "opencode": "opencode",
    "cline": "cline",
    "agy": "agy",
}


def load(name: str) -> Dialect:
    """The dialect of the target ``name``, a key of MODULES."""
    module = __import__(f"{__name__}.{MODULES[name]}", fromlist=["DIALECT"])
    found: Dialect = module.DIALECT
    return found


def detect(document: object, named: str | None) -> Dialect | None:
    """The dialect of the payload ``document`` (parsed JSON).

    ``named`` is the target that whoever received it was set up for. A payload that clearly is another
    agent's is that agent's, but for one about a tool that only ``named`` has; one that may be several
    agents' is ``named``'s, if it is one of them, else the likeliest's; one that is nobody's is ``named``'s.
    None where there is none of these.
    """
    names = possible(document) if isinstance(document, dict) else ()
    name = named if named in names or not names else names[0]
    if name != named and _is_a_tool_of(named, name, document):
        name = named
    return load(name) if name in MODULES else None


#: Agents that one key tells, or that have the envelope of others: a new key in another's payload would do.
_TOLD_BY_LITTLE = frozenset(("claude-code", "codex", "cursor", "qwen"))


def _is_a_tool_of(named: str | None, found: str | None, document: object) -> bool:
    """Whether the tool is ``named``'s own, and ``found``, told by little, does not know it."""
    tool = document.get("tool_name") if isinstance(document, dict) else None
    return (
        named in MODULES
        and found in _TOLD_BY_LITTLE
        and isinstance(tool, str)
        and tool in load(named).tools
        and tool not in load(found).tools
    )


def owners(tool: str) -> list[Dialect]:
    """The dialects of the agents that have a built-in tool ``tool``."""
    from policyc.engine.dialects.tool_owners import OWNERS  # only for what is no payload

    return [load(name) for name in OWNERS.get(tool, ())]
