"""hooks.json and the gate for the managed agent of the Gemini API.

Its runtime reads ``.agents/hooks.json`` in the sandbox, runs every handler whose matcher matches the tool,
and lets the call run unless one answers ``{"decision":"deny"}``.
https://ai.google.dev/gemini-api/docs/agent-hooks
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from policyc.compiler.hooks import EVENTS
from policyc.engine.dialects.managed import DIALECT
from policyc.hooks.asking import needs_server, with_asking_gates
from policyc.hooks.command_line import NO_GATE, answered
from policyc.hooks.declared import Command, Entry, Gate, Group, Http, allowed_domains, read_groups
from policyc.hooks.errors import HooksError
from policyc.hooks.gate_files import SCRIPT, deadline_within, gate_command, gate_files
from policyc.hooks.generated import Generated
from policyc.hooks.open_points import covered, open_points
from policyc.hooks.touch import Touched, touched

PATH: Final = ".agents/hooks.json"
#: Where the gate is, in what is given to the agent and in its sandbox.
SCRIPTS: Final = ".agents/hooks-scripts"
#: Events of the other product that reads this file, and is reported to drop one with groups it does not know.
AGY_EVENTS: Final = ("PreToolUse", "PostToolUse", "PreInvocation", "PostInvocation", "Stop")
#: Seconds that the agent waits for a gate that the bundle does not declare.
GATE_TIMEOUT: Final = 15
#: The hooks of a bundle that declares none: its policies hold.
_UNDECLARED: Final = Group(
    "policyc", None, (Entry("policyc.pre_tool_execution[0]", EVENTS[0], None, Gate(), GATE_TIMEOUT),)
)


def generate(data: Mapping[str, Any]) -> Generated:
    """``.agents/hooks.json`` for the hooks in ``data``, the payload of a compiled bundle, and the gate where
    one runs. Raises HooksError.

    Where nothing can be touched the document is empty: then a last hook that goes shows up as a difference.
    """
    declared = read_groups(data) or (_UNDECLARED,)
    found = touched(data, DIALECT)
    resolved = [_resolved(group, found) for group in declared]
    groups = _gated(with_asking_gates(resolved, GATE_TIMEOUT) if needs_server(data) else resolved)
    document = {group.name: _group(group) for group in groups if group.entries}
    files = {PATH: json.dumps(document, indent=2) + "\n"}
    if any(entry.gated or isinstance(entry.handler, Gate) for group in groups for entry in group.entries):
        files |= gate_files(data, SCRIPTS)
        _check_scripts(groups)
    notes = open_points(data, declared, resolved, groups, found, allowed_domains(data))
    return Generated(files, notes, clashes={PATH: AGY_EVENTS})


def _check_scripts(groups: list[Group]) -> None:
    """Raises HooksError where a command of the author's is a script in the place of the gate."""
    for entry in (entry for group in groups for entry in group.entries):
        if isinstance(entry.handler, Command) and f"{SCRIPTS}/{SCRIPT}" in entry.handler.command:
            message = f"{entry.place} runs {SCRIPTS}/{SCRIPT}, and the gate takes its place"
            raise HooksError("script_clash", message)


def guarded(data: Mapping[str, Any]) -> frozenset[str]:
    """The agent's tools before which its hooks decide by the policies. Raises HooksError."""
    found = touched(data, DIALECT)
    groups = _gated([_resolved(group, found) for group in read_groups(data) or (_UNDECLARED,)])
    deciding = [entry for group in groups if group.runs for entry in group.entries if entry.decides]
    return frozenset(name for entry in deciding for name in covered(entry))


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


def _gated(groups: list[Group]) -> list[Group]:
    """``groups`` with a gate before the evaluator, which may be down, where none has decided by then."""
    decided: set[str] = set()
    return [replace(group, entries=tuple(_gate_evaluators(group, decided))) for group in groups]


def _gate_evaluators(group: Group, decided: set[str]) -> Iterator[Entry]:
    """The entries of ``group``. ``decided`` are the tools before which a gate runs, and grows with them."""
    for entry in group.entries:
        before = entry.event == EVENTS[0]
        gated = before and entry.asks_evaluator and not decided.issuperset(DIALECT.tools)
        if before and group.runs and (gated or isinstance(entry.handler, Gate)):
            decided |= covered(entry)
        yield replace(entry, gated=gated)


def _group(group: Group) -> dict[str, object]:
    document: dict[str, object] = {} if group.enabled is None else {"enabled": group.enabled}
    for event in EVENTS:
        entries = [_entry(entry) for entry in group.entries if entry.event == event]
        if entries:
            document[event] = entries
    return document


def _entry(entry: Entry) -> dict[str, object]:
    gate = [_hook(Gate(), GATE_TIMEOUT)] if entry.gated else []
    return {"matcher": entry.matcher, "hooks": [*gate, _hook(entry.handler, entry.timeout)]}


def _hook(handler: Gate | Command | Http, timeout: int) -> dict[str, object]:
    return {**_handler(handler, timeout), "timeout": timeout}


def _handler(handler: Gate | Command | Http, timeout: int) -> dict[str, object]:
    if isinstance(handler, Gate):
        ask = None if handler.server is None else handler.server.url
        command = gate_command(f"/{SCRIPTS}", DIALECT.name, deadline=deadline_within(timeout), ask=ask)
        # Without a shell the rest is arguments, which the gate does not know and leaves alone.
        return {"type": "command", "command": answered(shlex.join(command), NO_GATE)}
    if isinstance(handler, Command):
        return {"type": "command", "command": handler.command}
    headers = {"headers": dict(handler.headers)} if handler.headers else {}
    return {"type": "http", "url": handler.url, **headers}
