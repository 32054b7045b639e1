"""Kiro: ``{"hook_event_name": "preToolUse", "tool_name", "tool_input", "cwd"}``; only exit 2 denies.

The command line and the editor name the event differently, and the tools alike. ``execute_bash`` and the
modes of ``fs_read`` other than ``Line`` are from memory.
https://github.com/aws/amazon-q-developer-cli/blob/main/docs/hooks.md
"""

from __future__ import annotations

from policyc.engine.dialects.acting import either, shell_tool, texts
from policyc.engine.dialects.answers import SILENT, Emission, stop
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import mcp_tool
from policyc.engine.dialects.named_tools import NamedTools
from policyc.engine.dialects.tools import Part, Tool, expect_list, expect_object


def _read(args: dict[str, object], where: str) -> list[Part]:
    if "operations" not in args:
        return _operation(args, where)
    operations = expect_list(args["operations"], f"{where}.operations")
    return [part for number, item in enumerate(operations) for part in _numbered(item, number, where)]


def _numbered(item: object, number: int, where: str) -> list[Part]:
    at = f"{where}.operations[{number}]"
    return _operation(expect_object(item, at), at)


def _operation(args: dict[str, object], where: str) -> list[Part]:
    canonical = "fs.list" if args.get("mode") == "Directory" else "fs.read"
    return [Part(canonical, path=path) for path in texts(args, where, "path", "image_paths")]


_WRITES = {
    "create": Tool("fs.write", ("path",), path=("path",), content=("file_text",)),
    "append": Tool("fs.edit", ("path",), path=("path",), content=("new_str",)),
    "insert": Tool("fs.edit", ("path",), path=("path",), content=("new_str",)),
    "str_replace": Tool("fs.edit", ("path",), path=("path",), content=("new_str",)),
}
_WRITES_SOMEHOW = either("path", content=("file_text", "new_str"))


def _write(args: dict[str, object], where: str) -> list[Part]:
    return _WRITES.get(str(args.get("command")), _WRITES_SOMEHOW).parts(args, where)


TOOLS = {
    "execute_bash": shell_tool("command"),
    "fs_read": Tool("fs.read", parts=_read, also=("fs.list",), path=("path",)),
    "fs_write": Tool(
        "fs.write", parts=_write, also=("fs.edit",), path=("path",), content=("file_text", "new_str")
    ),
}


def _mcp(name: str) -> Tool | None:
    server, separator, tool = name[1:].partition("/")
    return mcp_tool((server, tool)) if name.startswith("@") and server and tool and separator else None


_TOOLS = NamedTools(TOOLS, _mcp)
DIALECT = Dialect(
    "kiro", TOOLS, _TOOLS.read, _TOOLS.call, Emission(allow=SILENT, deny=stop, refuse=stop, done=SILENT)
)
