"""The Antigravity command line and editor: ``{"toolCall": {"name", "args"}, "workspacePaths"}``.

Only ``run_command`` and its ``CommandLine`` have been seen in payloads; the other names and keys are from
memory of the product, so several likely keys are accepted. Its ``overwrite`` answer is untested: not used.
An answer without a ``decision`` is a deny there.
"""

from __future__ import annotations

from policyc.engine.dialects.acting import shell_tool
from policyc.engine.dialects.answers import Answer, Emission, say
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import double_underscore, single_underscore
from policyc.engine.dialects.tools import Tool, expect_object, expect_text, first_folder, hook_call, place
from policyc.engine.model import Call

_PATH = ("AbsolutePath", "TargetFile", "FilePath", "Path", "path", "file_path")
_CONTENT = ("CodeContent", "ReplacementContent", "Content", "content")
TOOLS = {
    "run_command": shell_tool("CommandLine", folder=("Cwd",)),
    "view_file": Tool("fs.read", ("path",), path=_PATH),
    "write_to_file": Tool("fs.write", ("path",), path=_PATH, content=_CONTENT),
    "replace_file_content": Tool("fs.edit", ("path",), path=_PATH, content=_CONTENT),
    "multi_replace_file_content": Tool("fs.edit", ("path",), path=_PATH),
    "read_url_content": Tool("http.fetch", ("url",), url=("Url", "url", "URL")),
}


def read(document: dict[str, object]) -> Call:
    """The call in a PreToolUse or PostToolUse event. Raises CallError."""
    tool_call = expect_object(document.get("toolCall"), "$.toolCall")
    found = call(
        expect_text(tool_call.get("name"), "$.toolCall.name"),
        expect_object(tool_call.get("args", {}), "$.toolCall.args"),
        where="$.toolCall.args",
    )
    for part in found.parts:
        part.cwd = first_folder(document, "workspacePaths")
    return place(found, document, session="conversationId")


def call(name: str, args: dict[str, object], *, where: str = "$.args") -> Call:
    """A call of the tool ``name`` as this agent makes it. Raises CallError."""
    tool = TOOLS.get(name) or double_underscore(name) or single_underscore(name)
    return hook_call(name, args, tool, where)


def _deny(reason: str) -> Answer:
    return say({"decision": "deny", "reason": reason})


def _ask(reason: str) -> Answer:
    # `ask` may be answered from what the person allowed for ever; `force_ask` asks.
    return say({"decision": "force_ask", "reason": reason})


_ALLOW = say({"decision": "allow"})
DIALECT = Dialect(
    "agy", TOOLS, read, call, Emission(allow=_ALLOW, deny=_deny, ask=_ask, refuse=_deny, done=_ALLOW)
)
