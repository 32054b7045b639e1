"""``permission`` of opencode: whole tools.

``edit`` is about every tool that changes a file. Patterns of commands are not written: how a line is taken
apart for them is not specified to the letter. Nor are MCP tools: ``a_b_c`` does not say where the server's
name ends. https://opencode.ai/docs/permissions
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from policyc.engine.dialects import load
from policyc.hooks.generated import Native
from policyc.hooks.native.lowering import Unsaid, lowered, with_companions
from policyc.hooks.native.statements import Statement
from policyc.hooks.settings.entries import expected, is_object

#: Key of ``permission`` -> the tools that it is about.
_KEYS: Final = {
    "bash": ("bash",),
    "edit": ("edit", "write", "patch", "apply_patch", "multiedit"),
    "read": ("read",),
    "webfetch": ("webfetch",),
}


def denied_keys(data: Mapping[str, Any]) -> tuple[list[str], list[Native]]:
    """The keys of ``permission`` to deny, and what became of each thing that the policies deny."""
    dialect = load("opencode")

    def rule(statement: Statement) -> str:
        if statement.server is not None:
            raise Unsaid("the agent's names of MCP tools do not say where the server's name ends")
        if statement.prefix:
            raise Unsaid("patterns match the text of a command, which is not exactly this")
        key = next((key for key, tools in _KEYS.items() if statement.tool in tools), None)
        if key is None:
            raise Unsaid("no key of permission is about this tool")
        with_companions(data, dialect, statement, {str(statement.tool): _KEYS[key]})
        return key

    return lowered(data, dialect, rule)


def with_denied(
    settings: dict[str, Any], keys: Sequence[str], earlier: Sequence[str]
) -> tuple[dict[str, Any], list[str], list[str]]:
    """``settings`` with ``keys`` denied and without those of ``earlier``, which the last run denied, that are
    not denied any more; which keys are ours now; and notes. A key that others have set is left to them: the
    plugin denies those calls. Raises HooksError."""
    if isinstance(settings.get("permission"), str):
        there = settings["permission"]
        return settings, [], [f"permission is {there!r} for every tool and was left so."] if keys else []
    found = expected(settings, "permission", is_object, "an object or a word") or {}
    stale = {key for key in earlier if key not in keys and found.get(key) == "deny"}
    kept = {key: value for key, value in found.items() if key not in stale}
    added = [key for key in keys if key not in kept]
    ours = sorted(set(added) | {key for key in earlier if key in keys and found.get(key) == "deny"})
    others = [key for key in keys if key in kept and kept[key] != "deny"]
    notes = [f"permission.{key} was there and was left as it is." for key in others]
    if not added and not stale:
        return settings, ours, notes
    return {**settings, "permission": {**kept, **dict.fromkeys(added, "deny")}}, ours, notes
