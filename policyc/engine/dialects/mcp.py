"""Names of MCP tools: every agent's spelling to ``mcp.<server>.<tool>``.

Where a spelling does not say where the server's name ends, the call has every reading it may have, and each
is judged: a deny on the server holds whichever it is, and an allow has to cover all of them.
"""

from __future__ import annotations

from policyc.engine.dialects.tools import FAMILIES, CallError, Part, Tool

#: More places where a name may be cut than any real name has.
_MOST_CUTS = 24


def mcp_tool(*readings: tuple[str, str], or_else: bool = False) -> Tool:
    """The tool with these (server, tool) ``readings``; with ``or_else`` it may also be no MCP tool at all.
    Raises CallError where a server is named like a canonical family."""
    names = [_canonical(server, tool) for server, tool in readings]
    parts = [Part(name) for name in (*dict.fromkeys(names), *([None] if or_else else []))]
    return Tool(names[0], parts=lambda _args, _where: parts)


def _canonical(server: str, tool: str) -> str:
    if server in FAMILIES:
        raise CallError(
            "$.tool_name", f"an MCP server named {server!r} could pass for the built-in tools: rename it"
        )
    return f"mcp.{server}.{tool}"


def cuts(text: str, separator: str) -> list[tuple[str, str]]:
    """Every way to read ``text`` as two names with ``separator`` between them. Raises CallError."""
    found = []
    at = text.find(separator, 1)
    while at != -1 and at + len(separator) < len(text):
        found.append((text[:at], text[at + len(separator) :]))
        if len(found) > _MOST_CUTS:
            raise CallError("$.tool_name", "does not say where the name of the MCP server ends")
        at = text.find(separator, at + 1)
    return found


def double_underscore(name: str) -> Tool | None:
    """``mcp__server__tool``; of a plugin's server ``mcp__plugin_<plugin>_<server>__tool``, which is also read
    as the bare server's: a rule on the server means it wherever it was installed from."""
    if not name.startswith("mcp__"):
        return None
    readings = [reading for cut in cuts(name[len("mcp__") :], "__") for reading in _of_plugin(*cut)]
    return mcp_tool(*readings) if readings else None


def _of_plugin(server: str, tool: str) -> list[tuple[str, str]]:
    if not server.startswith("plugin_"):
        return [(server, tool)]
    bare = cuts(server[len("plugin_") :], "_")
    same = [(inner, tool) for plugin, inner in bare if plugin == inner]
    return same or [(server, tool), *((inner, tool) for _plugin, inner in bare)]


def single_underscore(name: str) -> Tool | None:
    """``mcp_server_tool``, where both names may hold underscores."""
    if not name.startswith("mcp_"):
        return None
    readings = cuts(name[len("mcp_") :], "_")
    return mcp_tool(*readings) if readings else None
