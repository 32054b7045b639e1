"""The managed agent of the Gemini API: ``{"tool_call": {"name", "args"}, "environment_id"}``.

Its hooks see five tools of the sandbox. Only ``read_file``'s ``path`` is documented, so other likely keys
of the file tools are accepted too. https://ai.google.dev/gemini-api/docs/agent-hooks
"""

from __future__ import annotations

from policyc.engine.dialects.answers import Answer, Emission, say
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.tools import Tool, expect_object, expect_text, hook_call, optional_text, place
from policyc.engine.model import Call

#: Relative paths mean this folder; the payload carries none.
WORKSPACE = "/workspace"

_PATH = ("path", "file_path", "filepath", "filename", "file", "target_file")
TOOLS = {
    "code_execution": Tool("shell.exec", ("command",), command=("code",)),
    "read_file": Tool("fs.read", ("path",), path=_PATH),
    "write_file": Tool("fs.write", ("path",), path=_PATH, content=("content", "contents", "text")),
    "list_files": Tool("fs.list", path=(*_PATH, "directory")),
    "delete_file": Tool("fs.delete", ("path",), path=_PATH),
}

#: ``code_execution`` in one of these runs a program, not a command line.
_NOT_A_SHELL = frozenset(
    (
        "python",
        "python3",
        "py",
        "javascript",
        "js",
        "node",
        "nodejs",
        "typescript",
        "ts",
        "ruby",
        "perl",
        "php",
    )
)


def read(document: dict[str, object]) -> Call:
    """The call in a pre or post event, or in ``{"tool_name", "tool_input", "cwd"}``. Raises CallError."""
    if "tool_call" not in document and "tool_name" in document:
        return _bare(document)
    tool_call = expect_object(document.get("tool_call"), "$.tool_call")
    found = call(
        expect_text(tool_call.get("name"), "$.tool_call.name"),
        expect_object(tool_call.get("args", {}), "$.tool_call.args"),
        where="$.tool_call.args",
    )
    return place(found, document, environment_id="environment_id")


def _bare(document: dict[str, object]) -> Call:
    name = expect_text(document["tool_name"], "$.tool_name")
    found = call(name, expect_object(document.get("tool_input"), "$.tool_input"), where="$.tool_input")
    found.cwd = optional_text(document, "cwd") or WORKSPACE
    return found


def call(name: str, args: dict[str, object], *, where: str = "$.args") -> Call:
    """A call of the tool ``name`` as this agent makes it. Raises CallError."""
    is_program = name == "code_execution" and not _is_shell(args.get("language"))
    found = hook_call(name, args, None if is_program else TOOLS.get(name), where)
    found.cwd = WORKSPACE
    return found


def _is_shell(language: object) -> bool:
    # A language that is absent or unheard of may be a shell, and then the rules on shells must see it.
    return not (isinstance(language, str) and language.strip().casefold() in _NOT_A_SHELL)


def _deny(reason: str) -> Answer:
    # The only answer that stops a call; the runtime lets every other one pass, and exit 2 as well.
    return say({"decision": "deny", "reason": reason})


EMISSION = Emission(allow=say({"decision": "allow"}), deny=_deny, refuse=_deny, done=say({}))
DIALECT = Dialect("managed", TOOLS, read, call, EMISSION)
