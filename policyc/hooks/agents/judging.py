"""What agents' contracts have in common: one JSON document on stdout, and the decision in it."""

from __future__ import annotations

import json
from typing import Any, Final

from policyc.hooks.target import Judgement

#: A decision's word -> what becomes of the call; any other word lets it run.
_WORDS: Final[dict[object, Judgement]] = {"deny": "blocked", "block": "blocked", "ask": "asked"}


def document(text: str) -> dict[str, Any] | None:
    """The one JSON object that ``text`` is; None for anything else, two of them too."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def word(value: object) -> Judgement:
    """What a decision says in its agent's word for it."""
    return _WORDS.get(value, "ran") if isinstance(value, str) else "ran"


def nested(found: dict[str, Any] | None) -> Judgement:
    """What ``hookSpecificOutput.permissionDecision`` says."""
    inner = (found or {}).get("hookSpecificOutput")
    return word(inner.get("permissionDecision")) if isinstance(inner, dict) else "ran"
