"""``permissions.deny`` of Claude Code: whole tools, MCP servers and MCP tools.

A rule on ``Read`` is also applied to searching, one on ``Edit`` to everything that edits, so these are
written only where the policy denies those too. ``Bash(git push *)`` is not written: how a line is taken apart
is not specified to the letter, and its own pages call it no boundary.
https://code.claude.com/docs/en/permissions
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.engine.dialects.tools import CallError
from policyc.hooks.generated import Native
from policyc.hooks.native.lowering import Unsaid, lowered, with_companions
from policyc.hooks.native.statements import Statement
from policyc.hooks.settings.entries import expected, is_object, is_texts

#: Tool -> the other tools that its rule stops.
_WIDER: Final = {
    "Bash": (),
    "PowerShell": (),
    "WebFetch": (),
    "Write": (),
    "Read": ("Grep", "Glob", "LS", "NotebookRead"),
    "Edit": ("Write", "MultiEdit", "NotebookEdit"),
}


def deny_rules(data: Mapping[str, Any]) -> tuple[list[str], list[Native]]:
    """The entries of ``permissions.deny``, and what became of each thing that the policies deny."""
    dialect = load("claude-code")

    def rule(statement: Statement) -> str:
        if statement.server is not None:
            return _mcp(statement.server, statement.tool)
        if statement.prefix:
            raise Unsaid("Bash(...) matches the text of a command, which is not exactly this")
        with_companions(data, dialect, statement, _WIDER)
        return statement.tool or ""

    return lowered(data, dialect, rule)


def with_deny_rules(
    settings: dict[str, Any], rules: Sequence[str], earlier: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """``settings`` with ``rules`` under ``permissions.deny`` and without those of ``earlier``, the rules that
    the last run added, that are none any more; and which rules are ours now. Raises HooksError."""
    permissions = expected(settings, "permissions", is_object, "an object") or {}
    there = expected(permissions, "deny", is_texts, "a list of texts") or []
    stale = set(earlier) - set(rules)
    kept = [rule for rule in there if rule not in stale]
    added = [rule for rule in rules if rule not in kept]
    ours = sorted(set(added) | (set(earlier) & set(rules)))
    if not added and kept == there:
        return settings, ours
    return {**settings, "permissions": {**permissions, "deny": kept + added}}, ours


def _mcp(server: str, tool: str | None) -> str:
    native = f"mcp__{server}__{tool or 'x'}"
    try:
        canonical = load("claude-code").call(native, {}).canonical
    except CallError as error:
        raise Unsaid(error.message) from None
    if canonical != f"mcp.{server}.{tool or 'x'}":
        raise Unsaid("the agent may give this name to the tools of another server")
    return f"mcp__{server}" if tool is None else native
