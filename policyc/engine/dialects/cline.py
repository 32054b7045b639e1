"""Cline: ``{"hookName", "preToolUse": {"toolName", "parameters"}}``, and from its SDK also ``tool_call``.

In ``parameters`` every value is a string, lists as JSON text. ``tool_call.input`` is what the SDK runs, so it
is read where it is there. A deny ends the whole run. The extension's tool names are from memory.
https://github.com/cline/cline
"""

from __future__ import annotations

from policyc.engine.dialects.acting import decoded, each, either, patch_tool
from policyc.engine.dialects.answers import Answer, Emission, say
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import mcp_tool
from policyc.engine.dialects.named_tools import allow_rewriting
from policyc.engine.dialects.tools import Tool, expect_object, expect_text, first_folder, hook_call, place
from policyc.engine.model import Call

_RUN = "run_commands"
_MCP = "use_mcp_tool"
TOOLS = {
    _RUN: each("shell.exec", "command", "commands", "command", "cmd"),
    "execute_command": Tool("shell.exec", ("command",), command=("command",)),
    "read_files": each("fs.read", "path", "files", "paths", "path", inside="path"),
    "read_file": Tool("fs.read", ("path",), path=("path",)),
    "editor": either("path", content=("file_text", "content", "new_text", "new_str")),
    "write_to_file": Tool("fs.write", ("path",), path=("path",), content=("content",)),
    "replace_in_file": Tool("fs.edit", ("path",), path=("path",)),
    "apply_patch": patch_tool("input"),
    "fetch_web_content": each("http.fetch", "url", "requests", "urls", "url", inside="url"),
    "web_fetch": Tool("http.fetch", ("url",), url=("url",)),
}


def read(document: dict[str, object]) -> Call:
    """The call in an event before or after a tool. Raises CallError."""
    if "tool_call" in document:
        found = _of_sdk(expect_object(document["tool_call"], "$.tool_call"))
    else:
        found = _of_extension(document)
    for part in found.parts:
        part.cwd = first_folder(document, "workspaceRoots")
    return place(found, document, session="taskId")


def call(name: str, args: dict[str, object], *, where: str = "$.args") -> Call:
    """A call of the tool ``name`` as this agent makes it. Raises CallError."""
    if name != _MCP:
        return hook_call(name, args, TOOLS.get(name), where)
    server = expect_text(args.get("server_name"), f"{where}.server_name")
    tool = expect_text(args.get("tool_name"), f"{where}.tool_name")
    return hook_call(
        name, decoded(args.get("arguments") or {}, f"{where}.arguments"), mcp_tool((server, tool)), where
    )


def _of_sdk(tool_call: dict[str, object]) -> Call:
    name = expect_text(tool_call.get("name"), "$.tool_call.name")
    given = tool_call.get("input", {})
    if name == _RUN and isinstance(given, str):
        return call(name, {"command": given})
    found = call(name, expect_object(given, "$.tool_call.input"), where="$.tool_call.input")
    return found if name == _MCP else allow_rewriting(found)


def _of_extension(document: dict[str, object]) -> Call:
    key = "postToolUse" if "postToolUse" in document else "preToolUse"
    use = expect_object(document.get(key), f"$.{key}")
    name = expect_text(use.get("toolName"), f"$.{key}.toolName")
    where = f"$.{key}.parameters"
    return call(name, expect_object(use.get("parameters", {}), where), where=where)


def _deny(reason: str) -> Answer:
    return say({"cancel": True, "errorMessage": reason})


def _rewrite(args: object, _reason: str) -> Answer:
    return say({"cancel": False, "overrideInput": args})


_GO_ON = say({"cancel": False})
DIALECT = Dialect(
    "cline",
    TOOLS,
    read,
    call,
    Emission(allow=_GO_ON, deny=_deny, rewrite=_rewrite, refuse=_deny, done=_GO_ON),
)
