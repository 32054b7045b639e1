"""The bundle's own server in an agent's configuration, after the gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from policyc.hooks.asking import needs_server
from policyc.hooks.declared import Http, read_groups

#: Agents whose gate cannot ask: the answer of a hook is an exit code, or several hooks run before one call.
_SILENT: Final = ("windsurf", "kiro", "cursor")
_EVENTS: Final = {"pre": "pre_tool_execution", "post": "post_tool_execution"}


@dataclass(frozen=True)
class Evaluator:
    """Where to ask, and the seconds to wait."""

    url: str
    timeout: int


def asked_by_gate(data: Mapping[str, Any], target: str) -> Evaluator | None:
    """The evaluator where the gate of ``target`` asks it itself."""
    return _declared(data, target, "pre") if target not in _SILENT and needs_server(data) else None


def evaluator(data: Mapping[str, Any], target: str, when: str) -> Evaluator | None:
    """The evaluator of ``target`` where the bundle has a handler ``server`` for ``pre`` or ``post``, and no
    gate asks it."""
    return None if when == "pre" and asked_by_gate(data, target) else _declared(data, target, when)


def _declared(data: Mapping[str, Any], target: str, when: str) -> Evaluator | None:
    """With the longest timeout where the bundle has several handlers."""
    found = [
        (entry.handler.url, entry.timeout)
        for group in read_groups(data)
        if group.runs
        for entry in group.entries
        if entry.event == _EVENTS[when] and isinstance(entry.handler, Http) and entry.handler.evaluator
    ]
    if not found:
        return None
    base = found[0][0].rpartition("/")[0]
    return Evaluator(f"{base}/{target}", max(timeout for _, timeout in found))


def asking(data: Mapping[str, Any], target: str) -> list[str]:
    """A note for agents whose gate asks the evaluator."""
    found = asked_by_gate(data, target)
    if found is None:
        return []
    return [
        f"The gate asks the evaluator ({found.url}) about every call that it does not deny, with the key in "
        "the environment variable POLICYC_KEY where it is set. While that gives no answer, calls that the "
        "policies hold, or that a budget is about, are denied; what the gate allows runs."
    ]


def offline(data: Mapping[str, Any], target: str) -> list[str]:
    """A note for agents without a way to ask a server."""
    if asked_by_gate(data, target) is not None:
        return asking(data, target)
    if _declared(data, target, "pre") is None and _declared(data, target, "post") is None:
        return []
    return [
        "This agent has no HTTP hooks: the gate decides alone, nothing reaches the evaluator, "
        "and a held call is denied."
    ]


def fails_open(data: Mapping[str, Any], target: str) -> list[str]:
    """A note for agents whose HTTP hooks let a call run when the server cannot be reached."""
    found = evaluator(data, target, "pre")
    if found is None:
        return asking(data, target)
    return [
        f"The evaluator ({found.url}) is asked as well. While it cannot be reached, a call that the gate "
        "allows runs. The agent sends no header of network.allowlist there."
    ]
