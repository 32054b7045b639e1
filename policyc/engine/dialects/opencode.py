"""opencode: what our plugin sends from ``tool.execute.before``, and reads back.

``{"hook_event_name": "tool.execute.before", "tool", "args", "cwd", "session_id", "mcp_servers"}``; the last
is optional: the names of the configured MCP servers, which tell ``server_tool`` from a tool with an
underscore. The answer is ``{"decision": "allow" | "deny", "reason", "args"}``; the plugin must throw on
everything that is not an allow, and put ``args``, where there are any, in the place of the tool's arguments.
The keys of the tools are from memory of the product. https://opencode.ai/docs/plugins
"""

from __future__ import annotations

from policyc.engine.dialects.acting import patch_tool, shell_tool
from policyc.engine.dialects.answers import Answer, Emission, say
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.mcp import cuts, mcp_tool
from policyc.engine.dialects.named_tools import allow_rewriting
from policyc.engine.dialects.tools import Tool, expect_list, expect_object, expect_text, hook_call, place
from policyc.engine.model import Call

_PATH = ("filePath", "path", "file_path")
TOOLS = {
    "bash": shell_tool("command", folder=("workdir",)),
    "read": Tool("fs.read", ("path",), path=_PATH),
    "write": Tool("fs.write", ("path",), path=_PATH, content=("content",)),
    "edit": Tool("fs.edit", ("path",), path=_PATH),
    "multiedit": Tool("fs.edit", ("path",), path=_PATH),
    "apply_patch": patch_tool("patchText", "patch"),
    "patch": patch_tool("patchText", "patch"),
    "webfetch": Tool("http.fetch", ("url",), url=("url",)),
}


def read(document: dict[str, object]) -> Call:
    """The call in an event of the plugin. Raises CallError."""
    servers = document.get("mcp_servers")
    known = None if servers is None else _names(servers)
    name = expect_text(document.get("tool"), "$.tool")
    args = expect_object(document.get("args"), "$.args")
    found = allow_rewriting(hook_call(name, args, TOOLS.get(name) or _mcp(name, known), "$.args"))
    return place(found, document, cwd="cwd", session="session_id")


def call(name: str, args: dict[str, object], *, where: str = "$.args") -> Call:
    """A call of the tool ``name`` as this agent makes it. Raises CallError."""
    return hook_call(name, args, TOOLS.get(name) or _mcp(name, None), where)


def _names(servers: object) -> dict[str, str]:
    """The servers by the prefix that the agent makes of their names."""
    names = [expect_text(name, "$.mcp_servers") for name in expect_list(servers, "$.mcp_servers")]
    return {
        "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name): name
        for name in names
    }


def _mcp(name: str, servers: dict[str, str] | None) -> Tool | None:
    readings = cuts(name, "_")
    if servers is not None:
        readings = [(servers[prefix], tool) for prefix, tool in readings if prefix in servers]
    return mcp_tool(*readings, or_else=servers is None) if readings else None


def _deny(reason: str) -> Answer:
    return say({"decision": "deny", "reason": reason})


def _rewrite(args: object, _reason: str) -> Answer:
    return say({"decision": "allow", "args": args})


DIALECT = Dialect(
    "opencode",
    TOOLS,
    read,
    call,
    Emission(allow=say({"decision": "allow"}), deny=_deny, rewrite=_rewrite, refuse=_deny, done=say({})),
)
