"""Windsurf Cascade: ``{"agent_action_name": "pre_run_command", "tool_info"}``; only exit 2 denies.

The native name of a tool is its action without ``pre_`` or ``post_``. The payload names no workspace.
https://docs.windsurf.com/windsurf/cascade/hooks
"""

from __future__ import annotations

from policyc.engine.dialects.acting import decoded, either, shell_tool
from policyc.engine.dialects.answers import SILENT, Emission, stop
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import mcp_tool
from policyc.engine.dialects.tools import CallError, Tool, expect_object, expect_text, hook_call, place
from policyc.engine.model import Call

TOOLS = {
    "run_command": shell_tool("command_line", folder=("cwd",)),
    "read_code": Tool("fs.read", ("path",), path=("file_path",)),
    "write_code": either("file_path"),
}
_MCP = "mcp_tool_use"


def read(document: dict[str, object]) -> Call:
    """The call in an event before or after an action. Raises CallError."""
    action = expect_text(document.get("agent_action_name"), "$.agent_action_name")
    name = action.partition("_")[2]
    info = expect_object(document.get("tool_info"), "$.tool_info")
    if name != _MCP and name not in TOOLS:
        raise CallError("$.agent_action_name", f"{action!r} is not an action that is known")
    found = _of_server(info) if name == _MCP else call(name, info, where="$.tool_info")
    return place(found, document, session="trajectory_id")


def call(name: str, args: dict[str, object], *, where: str = "$.args") -> Call:
    """A call of the tool ``name`` as this agent makes it. Raises CallError."""
    return hook_call(name, args, TOOLS.get(name), where)


def _of_server(info: dict[str, object]) -> Call:
    server = expect_text(info.get("mcp_server_name"), "$.tool_info.mcp_server_name")
    tool = expect_text(info.get("mcp_tool_name"), "$.tool_info.mcp_tool_name")
    args = decoded(info.get("mcp_tool_arguments") or {}, "$.tool_info.mcp_tool_arguments")
    return hook_call(_MCP, args, mcp_tool((server, tool)), "$.tool_info")


DIALECT = Dialect("windsurf", TOOLS, read, call, Emission(allow=SILENT, deny=stop, refuse=stop, done=SILENT))
