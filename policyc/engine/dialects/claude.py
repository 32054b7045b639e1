"""Claude Code: ``{"tool_name", "tool_input", "cwd"}`` and more; other agents use these names too.

https://code.claude.com/docs/en/hooks
"""

from __future__ import annotations

from policyc.engine.dialects.tools import (
    FAMILIES,
    CallError,
    Dialect,
    Tool,
    expect_object,
    expect_text,
    hook_call,
    optional_text,
)
from policyc.engine.model import Call

TOOLS = {
    "Bash": Tool("shell.exec", ("command",), command=("command",)),
    "PowerShell": Tool("shell.exec", ("command",), command=("command",)),
    "Read": Tool("fs.read", ("path",), path=("file_path",)),
    "Write": Tool("fs.write", ("path",), path=("file_path",), content=("content",)),
    "Edit": Tool("fs.edit", ("path",), path=("file_path",)),
    "WebFetch": Tool("http.fetch", ("url",), url=("url",)),
}


def recognises(document: dict[str, object]) -> bool:
    """Whether ``document`` is this agent's payload."""
    return "tool_name" in document and "tool_input" in document


def read(document: dict[str, object]) -> Call:
    """The call in a PreToolUse or PostToolUse event, or in the bare form. Raises CallError."""
    found = call(
        expect_text(document["tool_name"], "$.tool_name"),
        expect_object(document["tool_input"], "$.tool_input"),
        where="$.tool_input",
    )
    found.cwd = optional_text(document, "cwd")
    found.session = optional_text(document, "session_id")
    return found


def call(name: str, args: dict[str, object], *, where: str = "$.args") -> Call:
    """A call of the tool ``name`` as this agent makes it. Raises CallError."""
    return hook_call(name, args, TOOLS.get(name) or _mcp_tool(name), where)


def _mcp_tool(name: str) -> Tool | None:
    """``mcp__server__tool`` is ``mcp.server.tool``."""
    prefix, _, rest = name.partition("__")
    server, separator, tool = rest.partition("__")
    if prefix != "mcp" or not (server and separator and tool):
        return None
    if server in FAMILIES:
        raise CallError(
            "$.tool_name", f"an MCP server named {server!r} could pass for the built-in tools: rename it"
        )
    return Tool(f"mcp.{server}.{tool}")


DIALECT = Dialect("claude-code", TOOLS, recognises, read, call)
