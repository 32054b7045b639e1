"""Payloads with ``tool_name``, ``tool_input`` and ``cwd``, which most agents took over from Claude Code."""

from __future__ import annotations

from policyc.engine.dialects.tools import Tool, expect_object, expect_text, hook_call, place
from policyc.engine.model import REWRITING_HOOK, Call

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable


class NamedTools:
    """Reads such payloads with an agent's ``tools``. ``mcp`` knows its spelling of MCP tools, ``of_server``
    finds the MCP tool where the payload says more than the name, and ``rewrites`` says whether its hook may
    replace the arguments."""

    __slots__ = ("_mcp", "_of_server", "_rewrites", "_tools")

    def __init__(
        self,
        tools: dict[str, Tool],
        mcp: Callable[[str], Tool | None],
        *,
        rewrites: bool = False,
        of_server: Callable[[dict[str, object]], Tool | None] = lambda _document: None,
    ) -> None:
        self._tools = tools
        self._of_server = of_server
        self._mcp = mcp
        self._rewrites = rewrites

    def read(self, document: dict[str, object]) -> Call:
        """The call in an event before or after a tool, or in the bare form. Raises CallError."""
        name = expect_text(document.get("tool_name"), "$.tool_name")
        args = expect_object(document.get("tool_input"), "$.tool_input")
        tool = self._of_server(document) or self._tool(name)
        found = hook_call(name, args, tool, "$.tool_input")
        if self._rewrites:
            allow_rewriting(found)
        return place(found, document, cwd="cwd", session="session_id")

    def call(self, name: str, args: dict[str, object], *, where: str = "$.args") -> Call:
        """A call of the tool ``name`` as this agent makes it. Raises CallError."""
        return hook_call(name, args, self._tool(name), where)

    def _tool(self, name: str) -> Tool | None:
        return self._tools.get(name) or self._mcp(name)


def allow_rewriting(call: Call) -> Call:
    """``call`` as one whose arguments the hook may replace."""
    for part in call.parts:
        part.surface = REWRITING_HOOK
    return call
