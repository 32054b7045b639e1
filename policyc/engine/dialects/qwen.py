"""Qwen Code: Claude Code's envelope and answers, Gemini CLI's tools, and a ``tool_call_id``.

The keys of its tools are from memory of the product: the likely ones are accepted.
https://github.com/QwenLM/qwen-code/blob/main/docs/users/features/hooks.md
"""

from __future__ import annotations

from policyc.engine.dialects import nested
from policyc.engine.dialects.acting import literal_paths, shell_tool
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import double_underscore
from policyc.engine.dialects.named_tools import NamedTools
from policyc.engine.dialects.tools import Tool

_PATH = ("file_path", "absolute_path", "path")
TOOLS = {
    "run_shell_command": shell_tool("command", folder=("directory", "dir_path")),
    "read_file": Tool("fs.read", ("path",), path=_PATH),
    "read_many_files": literal_paths("include", "paths"),
    "write_file": Tool("fs.write", ("path",), path=_PATH, content=("content",)),
    "edit": Tool("fs.edit", ("path",), path=_PATH),
    "web_fetch": Tool("http.fetch", ("url",), url=("url",)),
}

_TOOLS = NamedTools(TOOLS, double_underscore, rewrites=True)
DIALECT = Dialect("qwen", TOOLS, _TOOLS.read, _TOOLS.call, nested.EMISSION)
