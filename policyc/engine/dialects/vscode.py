"""The agent of VS Code: Claude Code's envelope and answers with a ``timestamp`` and its own tools.

Only ``editFiles`` and its ``files`` are documented; the other names and keys are from memory of the product.
Copilot's payload in Claude Code's envelope may be taken for this one, so Claude Code's tools are known too.
https://code.visualstudio.com/docs/copilot/customization/hooks
"""

from __future__ import annotations

from policyc.engine.dialects import claude_code, nested
from policyc.engine.dialects.acting import each, patch_tool, shell_tool
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import double_underscore, single_underscore
from policyc.engine.dialects.named_tools import NamedTools
from policyc.engine.dialects.tools import Tool

_PATH = ("filePath", "path", "file_path")
TOOLS = {
    "run_in_terminal": shell_tool("command"),
    "read_file": Tool("fs.read", ("path",), path=_PATH),
    "create_file": Tool("fs.write", ("path",), path=_PATH, content=("content",)),
    "editFiles": each("fs.edit", "path", "files"),
    "insert_edit_into_file": Tool("fs.edit", ("path",), path=_PATH),
    "replace_string_in_file": Tool("fs.edit", ("path",), path=_PATH),
    "multi_replace_string_in_file": each("fs.edit", "path", "replacements", inside="filePath"),
    "edit_notebook_file": Tool("fs.edit", ("path",), path=_PATH),
    "apply_patch": patch_tool("input", "patch"),
    "fetch_webpage": each("http.fetch", "url", "urls"),
}


def _mcp(name: str) -> Tool | None:
    return double_underscore(name) or single_underscore(name)


_TOOLS = NamedTools({**claude_code.TOOLS, **TOOLS}, _mcp, rewrites=True)
DIALECT = Dialect("vscode", TOOLS, _TOOLS.read, _TOOLS.call, nested.EMISSION)
