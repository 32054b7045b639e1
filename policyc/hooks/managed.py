"""hooks.json for the managed agent of the Gemini API.

Its runtime reads ``.agents/hooks.json`` in the sandbox, runs every handler whose matcher matches the tool,
and lets the call run unless one answers ``{"decision":"deny"}``.
https://ai.google.dev/gemini-api/docs/agent-hooks
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from policyc.compiler.hooks import EVENTS
from policyc.engine.dialects.managed import DIALECT
from policyc.hooks.declared import Command, Entry, Group, Http, allowed_domains, read_groups
from policyc.hooks.generated import Generated
from policyc.hooks.open_points import open_points
from policyc.hooks.touch import Touched, touched

PATH: Final = ".agents/hooks.json"


def generate(data: Mapping[str, Any]) -> Generated:
    """``.agents/hooks.json`` for the hooks in ``data``, the payload of a compiled bundle. Raises HooksError.

    Without hooks the document is empty: then removing the last one from a bundle shows up as a difference.
    """
    declared = read_groups(data)
    found = touched(data, DIALECT)
    groups = [_resolved(group, found) for group in declared]
    document = {group.name: _group(group) for group in groups if group.entries}
    notes = open_points(data, declared, groups, found, allowed_domains(data))
    return Generated({PATH: json.dumps(document, indent=2) + "\n"}, notes)


def matcher(entry: Entry, found: Touched) -> str | None:
    """The matcher of ``entry``: the author's own words, or one that covers exactly what it must hear of.

    None when there is no such tool. The evaluator hears of every call, since it logs them.
    """
    if entry.matcher is not None:
        return entry.matcher
    if found.every or entry.asks_evaluator:
        return "*"
    names = [name for name in DIALECT.tools if name in found.tools]
    # Anchored: whether the runtime matches the whole name or searches in it is not documented.
    return f"^(?:{'|'.join(names)})$" if names else None


def _resolved(group: Group, found: Touched) -> Group:
    """``group`` with a matcher in every entry, without the entries that have nothing to match."""
    entries = [replace(entry, matcher=matcher(entry, found)) for entry in group.entries]
    return replace(group, entries=tuple(entry for entry in entries if entry.matcher is not None))


def _group(group: Group) -> dict[str, object]:
    document: dict[str, object] = {} if group.enabled is None else {"enabled": group.enabled}
    for event in EVENTS:
        entries = [_entry(entry) for entry in group.entries if entry.event == event]
        if entries:
            document[event] = entries
    return document


def _entry(entry: Entry) -> dict[str, object]:
    return {"matcher": entry.matcher, "hooks": [{**_handler(entry.handler), "timeout": entry.timeout}]}


def _handler(handler: Command | Http) -> dict[str, object]:
    if isinstance(handler, Command):
        return {"type": "command", "command": handler.command}
    headers = {"headers": dict(handler.headers)} if handler.headers else {}
    return {"type": "http", "url": handler.url, **headers}
