"""Cursor: ``preToolUse`` about every tool, and events of their own for shells, MCP tools and files read.

Its ``ask`` is not enforced everywhere and ``updated_input`` is dropped for ``Write``: neither is used there.
``MCP:tool`` in ``preToolUse`` does not name the server; ``beforeMCPExecution`` does.
https://cursor.com/docs/hooks
"""

from __future__ import annotations

from policyc.engine.dialects.acting import decoded, either, run_in, shell_tool
from policyc.engine.dialects.answers import Answer, Emission, say, stop
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import mcp_tool
from policyc.engine.dialects.named_tools import allow_rewriting
from policyc.engine.dialects.tools import (
    CallError,
    Part,
    Tool,
    executed,
    expect_list,
    expect_object,
    expect_text,
    first_folder,
    hook_call,
    optional_text,
    place,
)
from policyc.engine.model import Call

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable

_PATH = ("file_path", "path")


_WHOLE = Tool("fs.write", ("path",), path=_PATH, content=("content",))
_CHANGED = either(*_PATH)


def _written(args: dict[str, object], where: str) -> list[Part]:
    # A file as a whole, or changes to one.
    if "edits" not in args:
        return _WHOLE.parts(args, where)
    return [part for part in _CHANGED.parts(args, where) if part.canonical == "fs.edit"]


TOOLS = {
    "Shell": shell_tool("command", folder=("working_directory",)),
    "Read": Tool("fs.read", ("path",), path=_PATH),
    "Write": Tool("fs.write", parts=_written, also=("fs.edit",), path=_PATH, content=("content",)),
    "Delete": Tool("fs.delete", ("path",), path=_PATH),
    "Fetch": Tool("http.fetch", ("url",), url=("url",)),
    "WebFetch": Tool("http.fetch", ("url",), url=("url",)),
}


def read(document: dict[str, object]) -> Call:
    """The call in any event about a tool. Raises CallError."""
    found = _READERS.get(str(document.get("hook_event_name")), _tool)(document)
    cwd = first_folder(document, "workspace_roots") or optional_text(document, "cwd") or None
    for part in found.parts:
        part.cwd = cwd
    return place(found, document, session="conversation_id")


def call(name: str, args: dict[str, object], *, where: str = "$.args") -> Call:
    """A call of the tool ``name`` as this agent makes it. Raises CallError."""
    return hook_call(name, args, TOOLS.get(name), where)


def _tool(document: dict[str, object]) -> Call:
    name = expect_text(document.get("tool_name"), "$.tool_name")
    if name.startswith("MCP:"):
        return allow_rewriting(_of_server(document, name, document.get("tool_input")))
    found = call(name, expect_object(document.get("tool_input"), "$.tool_input"), where="$.tool_input")
    return found if name == "Write" else allow_rewriting(found)


def _shell(document: dict[str, object]) -> Call:
    command = expect_text(document.get("command"), "$.command")
    folder = optional_text(document, "cwd")
    tool = Tool("shell.exec", parts=lambda _args, _where: run_in(command, folder))
    found = hook_call("Shell", {"command": command}, tool, "$")
    return _told(found, {"command": command, "cwd": folder}) if folder else found


def _mcp(document: dict[str, object]) -> Call:
    name = "MCP:" + expect_text(document.get("tool_name"), "$.tool_name")
    return _of_server(document, name, document.get("tool_input"))


def _of_server(document: dict[str, object], name: str, given: object) -> Call:
    args = decoded(given, "$.tool_input")
    server = optional_text(document, "mcp_server_name")
    tool = None if server is None else mcp_tool((server, name[len("MCP:") :]))
    return hook_call(name, args, tool, "$.tool_input")


def _file(document: dict[str, object]) -> Call:
    args = {"file_path": document.get("file_path")}
    attached = expect_list(document.get("attachments") or [], "$.attachments")
    more = [_attached(item, f"$.attachments[{number}]") for number, item in enumerate(attached)]
    found = call("Read", args, where="$")
    found.more = tuple(call("Read", {"file_path": path}, where="$") for path in more)
    return _told(found, {**args, "attachments": attached}) if attached else found


def _told(found: Call, args: dict[str, object]) -> Call:
    """``found`` with all that the event says it does as its native arguments: who sees one part sees all."""
    for part in found.parts:
        part.native_args = args
    return found


def _attached(item: object, where: str) -> str:
    path = executed(("file_path", "filePath"), expect_object(item, where), where)
    if path is None:
        raise CallError(where, "does not say which file it is")
    return path


def _edited(document: dict[str, object]) -> Call:
    keys = ("file_path", "edits")
    return call("Write", {key: document[key] for key in keys if key in document}, where="$")


_READERS: dict[str, Callable[[dict[str, object]], Call]] = {
    "beforeShellExecution": _shell,
    "afterShellExecution": _shell,
    "beforeMCPExecution": _mcp,
    "afterMCPExecution": _mcp,
    "beforeReadFile": _file,
    "beforeTabFileRead": _file,
    "afterFileEdit": _edited,
}


def _deny(reason: str) -> Answer:
    return say({"permission": "deny", "user_message": reason, "agent_message": reason})


def _rewrite(args: object, _reason: str) -> Answer:
    return say({"permission": "allow", "updated_input": args})


DIALECT = Dialect(
    "cursor",
    TOOLS,
    read,
    call,
    Emission(allow=say({"permission": "allow"}), deny=_deny, rewrite=_rewrite, refuse=stop, done=say({})),
)
