"""Rules that no hook can reach: hooks of the managed agent see its five sandbox tools and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from policyc.engine.dialects.managed import DIALECT
from policyc.engine.dialects.reach import reachable
from policyc.source.catalogue import CATALOGUE
from policyc.source.diagnostics import Diagnostic, JsonPath, Place, format_path

CODE = "hook_unreachable"
#: How the agent's own documentation calls the tools that run outside the sandbox.
_OUTSIDE = ("function", "mcp_server", "mcp.")
_SEEN = ", ".join(f"{name} ({tool.canonical})" for name, tool in DIALECT.tools.items())


@dataclass(frozen=True, slots=True)
class HookWarning:
    """The warning, and whether it stands only in a bundle that has hooks."""

    only_with_hooks: bool
    diagnostic: Diagnostic


def hook_warning(rule: dict[str, Any], path: str, place: Place, at: JsonPath) -> HookWarning | None:
    """What there is to say about a rule of data.json that could act at hooks and matches no tool there."""
    stages, tools = rule["stages"], rule["tools"]
    if tools is None or (stages is not None and "hook" not in stages) or _reached(tuple(tools)):
        return None
    pinned = stages is not None and set(stages) == {"hook"}
    globs = ", ".join(f"`{glob}`" for glob in tools[:5])
    rest = "never acts" if pinned else "acts on the other stages only"
    message = f"no tool that hooks see matches {globs}: the rule {rest}"
    severity = CATALOGUE[CODE].severity
    found = Diagnostic(CODE, severity, path, *place, format_path(at), message, _hint(tools, pinned))
    return HookWarning(not pinned, found)


@lru_cache(maxsize=65536)
def _reached(tools: tuple[str, ...]) -> bool:
    return bool(reachable(tools, None, DIALECT))


def _hint(tools: list[str], pinned: bool) -> str:
    if any(glob.startswith(_OUTSIDE) for glob in tools):
        return (
            "`function` and `mcp_server` tools run outside the sandbox, where hooks never fire: "
            "enforce them with the MCP proxy or POST /v1/enforce"
        )
    if pinned:
        return f"hooks see {_SEEN}"
    return f"hooks see {_SEEN}; give the rule a `stage` without `hook` if that is meant"
