"""The bundle's own server in an agent's configuration, after the gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from policyc.hooks.declared import Http, read_groups

_EVENTS: Final = {"pre": "pre_tool_execution", "post": "post_tool_execution"}


@dataclass(frozen=True)
class Evaluator:
    """Where to ask, and the seconds to wait."""

    url: str
    timeout: int


def evaluator(data: Mapping[str, Any], target: str, when: str) -> Evaluator | None:
    """The evaluator of ``target`` where the bundle has a handler ``server`` for ``pre`` or ``post``; the
    longest timeout where it has several."""
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


def offline(data: Mapping[str, Any]) -> list[str]:
    """A note for agents without a way to ask a server."""
    if evaluator(data, "x", "pre") is None and evaluator(data, "x", "post") is None:
        return []
    return [
        "This agent has no HTTP hooks: the gate decides alone, nothing reaches the evaluator, "
        "and a held call is denied."
    ]


def fails_open(found: Evaluator | None) -> list[str]:
    """A note for agents whose HTTP hooks let a call run when the server cannot be reached."""
    if found is None:
        return []
    return [
        f"The evaluator ({found.url}) is asked as well. While it cannot be reached, a call that the gate "
        "allows runs. The agent sends no header of network.allowlist there."
    ]
