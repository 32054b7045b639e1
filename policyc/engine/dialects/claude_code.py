"""Claude Code: ``{"hook_event_name", "tool_name", "tool_input", "permission_mode", "tool_use_id"}`` and more.

The bare ``{"tool_name", "tool_input", "cwd"}`` is read as its payload too.
https://code.claude.com/docs/en/hooks
"""

from __future__ import annotations

from policyc.engine.dialects import nested
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import double_underscore
from policyc.engine.dialects.named_tools import NamedTools
from policyc.engine.dialects.tools import Tool

TOOLS = {
    "Bash": Tool("shell.exec", ("command",), command=("command",)),
    "PowerShell": Tool("shell.exec", ("command",), command=("command",)),
    "Read": Tool("fs.read", ("path",), path=("file_path",)),
    "Write": Tool("fs.write", ("path",), path=("file_path",), content=("content",)),
    "Edit": Tool("fs.edit", ("path",), path=("file_path",)),
    "MultiEdit": Tool("fs.edit", ("path",), path=("file_path",)),
    "NotebookEdit": Tool("fs.edit", ("path",), path=("notebook_path",)),
    "WebFetch": Tool("http.fetch", ("url",), url=("url",)),
}

_TOOLS = NamedTools(TOOLS, double_underscore, rewrites=True)
DIALECT = Dialect("claude-code", TOOLS, _TOOLS.read, _TOOLS.call, nested.EMISSION)
