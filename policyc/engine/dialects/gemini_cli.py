"""Gemini CLI: ``{"hook_event_name": "BeforeTool", "tool_name", "tool_input"}``, and ``mcp_context`` for MCP.

Its undocumented ``ask`` would put a prompt in the place of its own deny rules: not used. What replaces the
arguments is taken alone, not merged.
https://github.com/google-gemini/gemini-cli/blob/main/docs/hooks/reference.md
"""

from __future__ import annotations

from policyc.engine.dialects.acting import literal_paths, shell_tool, url_in_text
from policyc.engine.dialects.answers import Answer, Emission, say, stop
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import mcp_tool, single_underscore
from policyc.engine.dialects.named_tools import NamedTools
from policyc.engine.dialects.tools import Tool, expect_object, expect_text

TOOLS = {
    "run_shell_command": shell_tool("command", folder=("dir_path",)),
    "read_file": Tool("fs.read", ("path",), path=("file_path",)),
    "read_many_files": literal_paths("include"),
    "write_file": Tool("fs.write", ("path",), path=("file_path",), content=("content",)),
    "replace": Tool("fs.edit", ("path",), path=("file_path",)),
    "web_fetch": url_in_text("prompt", "url"),
}


def _of_server(document: dict[str, object]) -> Tool | None:
    context = document.get("mcp_context")
    if context is None:
        return None
    names = expect_object(context, "$.mcp_context")
    server = expect_text(names.get("server_name"), "$.mcp_context.server_name")
    return mcp_tool((server, expect_text(names.get("tool_name"), "$.mcp_context.tool_name")))


def _deny(reason: str) -> Answer:
    return say({"decision": "deny", "reason": reason})


def _rewrite(args: object, _reason: str) -> Answer:
    return say(
        {"decision": "allow", "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": args}}
    )


_TOOLS = NamedTools(TOOLS, single_underscore, rewrites=True, of_server=_of_server)
DIALECT = Dialect(
    "gemini-cli",
    TOOLS,
    _TOOLS.read,
    _TOOLS.call,
    Emission(
        allow=say({"decision": "allow"}),
        deny=_deny,
        rewrite=_rewrite,
        # Standard output stays empty: a document there would be taken for the answer, whatever the exit code.
        refuse=stop,
        done=say({}),
    ),
)
