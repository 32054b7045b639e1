"""A tool between its hooks, for whoever executes the sandbox's tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from policyc.hooks.runtime.events import POST, PRE, Result, run_event
from policyc.hooks.runtime.hooks_file import HooksFile
from policyc.hooks.runtime.sandbox import Sandbox


@dataclass(frozen=True)
class ToolResult:
    """What a tool came to: its ``output`` for the model, what a command wrote to ``stderr``, and why a file
    operation failed. A command that fails without a word has no error."""

    output: Any = None
    stderr: str = ""
    failure: str | None = None

    @property
    def error(self) -> str | None:
        """The error text of the post event, or None where it has none."""
        return self.failure if self.failure is not None else self.stderr or None


@dataclass(frozen=True)
class ToolOutcome:
    """A tool call with its hooks. ``result`` and ``after`` are None when ``before`` denied it."""

    before: Result
    result: ToolResult | None = None
    after: Result | None = None


def post_event(call: Mapping[str, Any], result: ToolResult) -> dict[str, Any]:
    """The event after ``call`` (the event before it): the same, with ``error`` only where there was one."""
    event = {key: value for key, value in call.items() if key != "error"}
    return event if result.error is None else {**event, "error": result.error}


async def run_tool(
    hooks: HooksFile,
    call: Mapping[str, Any],
    tool: Callable[[str, Mapping[str, Any]], Awaitable[ToolResult]],
    sandbox: Sandbox | None = None,
) -> ToolOutcome:
    """The hooks before ``call``, ``tool(name, args)`` unless one denied, and the hooks after it.

    ``call`` is the event before it: ``{"tool_call": {"name", "args"}, "environment_id"}``. For tools of the
    sandbox only: the agent sends no events for others. Raises HooksError, and what ``tool`` raises.
    """
    before = await run_event(hooks, PRE, call, sandbox)
    if before.denied:
        return ToolOutcome(before)
    result = await tool(before.tool, call["tool_call"].get("args", {}))
    return ToolOutcome(before, result, await run_event(hooks, POST, post_event(call, result), sandbox))
