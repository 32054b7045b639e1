"""An event as one line of a table, the same for a page and for the live tail."""

from __future__ import annotations

import json
from typing import Any

from policyc.engine.decision import visible
from policyc_server.console.rendering import clock, iso

_LONGEST_ARGUMENTS = 160


def event_row(event: dict[str, Any]) -> dict[str, Any]:
    """The texts of an event's cells; every character in them can be seen."""
    cells = {
        "at": iso(event["at"]),
        "clock": clock(event["at"]),
        "verdict": event["verdict"],
        "would_be": event["would_be"] or "",
        "tool": event["tool"],
        "args": _arguments(event["args"]),
        "agent": event["agent"] or "",
        "rule": event["rule"] or event["reason_code"],
        "surface": event["surface"],
        "outcome": event["outcome"] or "",
        "id": event["id"],
    }
    return {"seq": event["seq"], **{name: visible(text) for name, text in cells.items()}}


def _arguments(text: str) -> str:
    shown = json.dumps(json.loads(text), ensure_ascii=False)
    return shown if len(shown) <= _LONGEST_ARGUMENTS else shown[:_LONGEST_ARGUMENTS] + "…"
