"""Hook entries of ours among those of others, in any agent's settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from policyc.hooks.errors import HooksError
from policyc.hooks.target import GATE_FOLDER

GATE: Final = f"{GATE_FOLDER}/gate.py"


class Ours:
    """Tells the entries generated for ``target`` from those of others: they start the gate, or ask an
    evaluator about that target."""

    def __init__(self, target: str) -> None:
        self._evaluator = re.compile(rf"/v1/hooks/{target}(?![\w-])")

    def __call__(self, entry: object) -> bool:
        if isinstance(entry, str):
            return GATE in entry or self._evaluator.search(entry) is not None
        if isinstance(entry, dict):
            return any(map(self, entry.values()))
        return isinstance(entry, list) and any(map(self, entry))

    def taken_out(self, entries: list[Any]) -> list[Any]:
        """``entries`` without ours; a group that also has hooks of others keeps those."""
        kept = (self._others(entry) for entry in entries)
        return [entry for entry in kept if entry is not None]

    def _others(self, entry: Any) -> Any:
        if not self(entry):
            return entry
        inner = entry.get("hooks") if isinstance(entry, dict) else None
        others = [hook for hook in inner if not self(hook)] if isinstance(inner, list) else []
        return {**entry, "hooks": others} if others else None


def with_hooks(settings: dict[str, Any], events: Mapping[str, list[Any]], ours: Ours) -> dict[str, Any]:
    """``settings`` with exactly the entries ``events`` of ours under ``hooks``, each event's in the place of
    the earlier ones. Raises HooksError where something else than hooks is there."""
    found = expected(settings, "hooks", is_object, "an object") or {}
    hooks = dict(found)
    for event in {**found, **dict.fromkeys(events)}:
        entries = found.get(event, [])
        if not isinstance(entries, list) or not all(map(is_object, entries)):
            if event in events:
                raise HooksError("settings_invalid", f"`hooks.{event}` is not a list of objects")
            continue
        others = ours.taken_out(entries)
        at = next((at for at, entry in enumerate(entries) if ours(entry)), len(others))
        hooks[event] = [*others[:at], *events.get(event, []), *others[at:]]
        if entries and not hooks[event]:
            del hooks[event]
    return {**settings, "hooks": hooks}


def expected(value: dict[str, Any], key: str, kind: Callable[[Any], bool], what: str) -> Any:
    """``value[key]``, None where it is absent. Raises HooksError when it is not ``what``."""
    found = value.get(key)
    if key in value and not kind(found):
        raise HooksError("settings_invalid", f"`{key}` is not {what}")
    return found


def is_object(value: object) -> bool:
    return isinstance(value, dict)


def is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
