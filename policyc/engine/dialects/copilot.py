"""Copilot: ``{"toolName", "toolArgs"}``, where the arguments may be JSON text.

A hook that is registered by Claude Code's event name gets that agent's envelope and may get its tool names:
both are read. The answer holds both spellings of the decision, since nothing in a call tells them apart. How
MCP tools are named, ``str_replace_editor`` and ``apply_patch`` are from memory.

What a non-zero exit means has changed between versions, from a warning to a deny. The deny document on exit 0
is a deny in each, so a fault of the guard says it too.
https://docs.github.com/en/copilot/reference/hooks-configuration
"""

from __future__ import annotations

from policyc.engine.dialects import claude_code, nested
from policyc.engine.dialects.acting import decoded, patch_tool, shell_tool
from policyc.engine.dialects.answers import SILENT, Answer, Emission, say
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import cuts, double_underscore, mcp_tool
from policyc.engine.dialects.named_tools import NamedTools, allow_rewriting
from policyc.engine.dialects.tools import Part, Tool, expect_text, place
from policyc.engine.model import Call

_VIEW = Tool("fs.read", ("path",), path=("path",))
_CREATE = Tool("fs.write", ("path",), path=("path",), content=("file_text", "content"))
_EDIT = Tool("fs.edit", ("path",), path=("path",))
_BY_COMMAND = {"view": _VIEW, "create": _CREATE}


def _edited(args: dict[str, object], where: str) -> list[Part]:
    return _BY_COMMAND.get(str(args.get("command")), _EDIT).parts(args, where)


TOOLS = {
    "bash": shell_tool("command"),
    "powershell": shell_tool("command"),
    "view": _VIEW,
    "create": _CREATE,
    "edit": _EDIT,
    "str_replace_editor": Tool("fs.edit", parts=_edited, also=("fs.read", "fs.write"), path=("path",)),
    "apply_patch": patch_tool("input", "patch"),
    "web_fetch": Tool("http.fetch", ("url",), url=("url",)),
}


def _mcp(name: str) -> Tool | None:
    readings = cuts(name, "-")
    return double_underscore(name) or (mcp_tool(*readings, or_else=True) if readings else None)


_TOOLS = NamedTools({**claude_code.TOOLS, **TOOLS}, _mcp, rewrites=True)


def read(document: dict[str, object]) -> Call:
    """The call in an event before or after a tool, in either envelope. Raises CallError."""
    if "toolName" not in document and "toolArgs" not in document:
        return _TOOLS.read({**document, "tool_input": decoded(document.get("tool_input"), "$.tool_input")})
    name = expect_text(document.get("toolName"), "$.toolName")
    args = decoded(document.get("toolArgs", {}), "$.toolArgs")
    found = allow_rewriting(_TOOLS.call(name, args, where="$.toolArgs"))
    return place(found, document, cwd="cwd", session="sessionId")


def _decision(word: str, reason: str, **more: object) -> dict[str, object]:
    return {"permissionDecision": word, "permissionDecisionReason": reason, **more}


def _deny(reason: str) -> Answer:
    return say({**_decision("deny", reason), **nested.decision("deny", reason)})


def _ask(reason: str) -> Answer:
    return say({**_decision("ask", reason), **nested.decision("ask", reason)})


def _rewrite(args: object, reason: str) -> Answer:
    flat = _decision("ask", reason, modifiedArgs=args)
    return say({**flat, **nested.decision("ask", reason, updatedInput=args)})


DIALECT = Dialect(
    "copilot",
    TOOLS,
    read,
    _TOOLS.call,
    Emission(allow=SILENT, deny=_deny, ask=_ask, rewrite=_rewrite, refuse=_deny, done=SILENT),
)
