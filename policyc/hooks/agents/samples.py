"""Payloads as agents send them, from what an agent's dialect knows of its tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from policyc.engine.dialects.dialect import Dialect
from policyc.hooks.target import Samples

#: Kind -> the agent's tool and its arguments, given a command or a path.
Calls = Mapping[str, Callable[[str], tuple[str, dict[str, Any]]]]
CWD: Final = "/workspace"
#: A permission mode that no agent has.
UNKNOWN_MODE: Final = "futureMode"
_FILLER: Final = {"content": "x"}


def native_call(dialect: Dialect, kind: str, value: str) -> tuple[str, dict[str, Any]]:
    """The agent's tool for ``kind`` (``shell.exec``, ``fs.read``, ``fs.write``), and its arguments that make
    it act on ``value``."""
    name, tool = next((name, tool) for name, tool in dialect.tools.items() if tool.canonical == kind)
    args = {natives[0]: _FILLER.get(canonical, value) for canonical, natives in tool.keys.items()}
    return name, args


def built(dialect: Dialect, pre: str, post: str, more: dict[str, Any], calls: Calls | None = None) -> Samples:
    """Payloads ``{"hook_event_name", "tool_name", "tool_input", "cwd"}`` and ``more``, for agents that took
    them over from Claude Code; ``pre`` and ``post`` are the names of the events. ``calls``: the kinds whose
    arguments the dialect's keys do not tell."""

    def build(event: str, kind: str, value: str, **changes: object) -> dict[str, Any]:
        special = (calls or {}).get(kind)
        name, args = native_call(dialect, kind, value) if special is None else special(value)
        base = {"hook_event_name": event, "tool_name": name, "tool_input": args, "cwd": CWD}
        return {**base, **more, **changes}

    def unknown(kind: str, value: str) -> dict[str, Any]:
        return build(pre, kind, value, permission_mode=UNKNOWN_MODE)

    return Samples(
        lambda kind, value: build(pre, kind, value),
        lambda: build(post, "shell.exec", "true", tool_response={}),
        unknown if "permission_mode" in more else None,
    )
