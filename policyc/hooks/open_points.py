"""What the managed agent's hooks leave open, said to the person who generates them.

Its runtime lets a call run whenever a hook does not answer with the deny document, so each of these is a way
past the policies. None of them is an error: the author decides what is acceptable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from policyc.bundle.errors import quote
from policyc.compiler.hooks import CATCH_ALL
from policyc.compiler.network import is_allowed
from policyc.engine.dialects.managed import DIALECT
from policyc.engine.dialects.reach import reachable
from policyc.engine.regex import compile_regex
from policyc.hooks.declared import Command, Entry, Gate, Group, Http
from policyc.hooks.touch import Touched, at_hooks, governing

_LISTED: Final = 5

_UNSEEN: Final = (
    "Hooks see the tools of the sandbox only. `function` and `mcp_server` tools never reach them: "
    "enforce those where they run, at stage mcp."
)
_WRITABLE: Final = (
    "The agent can rewrite .agents/ with its file tools or a shell, and with it these hooks and the gate: "
    "mount that source read-only."
)
_NO_AGENT: Final = (
    "The events name no agent, so `bindings` cannot tell agents apart at a hook: "
    "the default policy governs there."
)
_UNTOUCHED: Final = "no rule can touch a tool that hooks see"
_LOST: Final = "hooks that post there never arrive, and the calls run"
_UNDECLARED: Final = (
    "The bundle declares no hooks, so the gate stands before every call that a rule can touch. "
    "`hooks:` in bundle.yaml says otherwise."
)
_STALE: Final = (
    "The gate decides by the policies as they are now: generate again when they change (`--check` in CI)."
)
_NEITHER: Final = "Neither the gate nor the evaluator decides before"
_NOTHING: Final = "No hook runs: nothing in the sandbox is checked or recorded."


def open_points(
    data: Mapping[str, Any],
    declared: Sequence[Group],
    resolved: Sequence[Group],
    generated: Sequence[Group],
    found: Touched,
    domains: Sequence[str] | None,
) -> list[str]:
    """What stays open. ``resolved`` are the ``declared`` groups with matchers filled in, without the entries
    that reach no tool; ``generated`` are those as they are written.
    ``domains`` are those of the network allowlist, None where there is none."""
    running = [entry for group in generated if group.runs for entry in group.entries]
    notes = [_UNDECLARED] if running and not data.get("hooks") else []
    notes += [*_absent(declared, resolved), *_merged(resolved, generated)]
    notes += [*(note for entry in running for note in _fails_open(entry))]
    if not running:
        return [*notes, _NOTHING]
    return [
        *notes,
        *_never_matching(running),
        *_hosts(running, domains),
        *_unchecked(running, found),
        *_elsewhere(data),
        *([_STALE] if any(map(_has_gate, running)) else []),
        *([_NO_AGENT] if data["bindings"] else []),
        _UNSEEN,
        _WRITABLE,
    ]


def _absent(declared: Sequence[Group], generated: Sequence[Group]) -> Iterator[str]:
    for group, kept in zip(declared, generated, strict=True):
        left = {entry.place for entry in kept.entries}
        if not group.entries:
            yield f"{group.name} is left out: it has no handlers."
        elif not left:
            yield f"{group.name} is left out: {_UNTOUCHED}."
        elif not kept.runs:
            yield f"{group.name} is disabled: nothing in it runs."
        else:
            dropped = (entry.place for entry in group.entries if entry.place not in left)
            yield from (f"{place} is left out: {_UNTOUCHED}." for place in dropped)


def _merged(resolved: Sequence[Group], generated: Sequence[Group]) -> Iterator[str]:
    """The entries that are left out since a gate that asks decides before their tools."""
    written = {entry.place for group in generated for entry in group.entries}
    for entry in (entry for group in resolved for entry in group.entries):
        if entry.place not in written:
            yield f"{entry.place} is left out: a gate that asks the evaluator decides before its tools."


def _has_gate(entry: Entry) -> bool:
    return entry.gated or isinstance(entry.handler, Gate)


def _fails_open(entry: Entry) -> Iterator[str]:
    named, fault = _fault(entry.handler)
    if entry.event == "post_tool_execution":
        yield f"{entry.place}: when {named} fails or takes longer than {entry.timeout} s, the event is lost."
        return
    if _has_gate(entry):
        yield f"{entry.place}: {_GATE_FAULT}"
    if isinstance(entry.handler, Gate) and entry.handler.server is not None:
        yield f"{entry.place}: {_ASKING.format(host=entry.handler.server.host)}"
    if isinstance(entry.handler, Gate):
        return
    fault = f"{fault}, or takes longer than {entry.timeout} s"
    if entry.asks_evaluator:
        yield f"{entry.place}: when {named} {fault}, only the gate has decided."
    else:
        yield f"{entry.place} fails open: when {named} {fault}, the call runs."


_GATE_FAULT: Final = (
    "the gate denies on any fault of its own, and so does its command line without a python3 (3.9 or newer) "
    "on PATH. It fails open where neither can say so: when a python3 prints something else and ends with 0, "
    "or the sandbox is too slow to start it in time."
)


_ASKING: Final = (
    "the gate asks the evaluator at {host} about every call that it does not deny. While that gives no "
    "answer, calls that the policies hold, or that a budget is about, are denied; what the gate allows runs, "
    "and is not recorded."
)


def _fault(handler: Gate | Command | Http) -> tuple[str, str]:
    """What people call the handler, and how it fails to deny."""
    if isinstance(handler, Gate):
        return "the gate", ""
    if isinstance(handler, Command):
        named = f"the command {quote(handler.command)}"
        return named, "crashes, exits other than 0 (2 is no deny here), prints anything but the deny document"
    named = f"the {'evaluator' if handler.evaluator else 'endpoint'} at {handler.host}"
    return named, "cannot be reached, answers other than 2xx, sends anything but the deny document"


def _never_matching(running: Sequence[Entry]) -> Iterator[str]:
    for entry in running:
        if not covered(entry):
            matcher = quote(entry.matcher or "")
            yield f"{entry.place} never runs: its matcher {matcher} matches no tool that hooks see."


def covered(entry: Entry) -> set[str]:
    """The agent's tools whose whole name the entry's matcher matches."""
    matcher = entry.matcher or ""
    if matcher in CATCH_ALL:
        return set(DIALECT.tools)
    pattern = compile_regex(matcher)
    return {name for name in DIALECT.tools if pattern.fullmatch(name)}


def _hosts(running: Sequence[Entry], domains: Sequence[str] | None) -> Iterator[str]:
    hosts = dict.fromkeys(server.host for server in map(_server, running) if server is not None)
    for host in hosts:
        if domains is None:
            yield f"{host} must be in the environment's network.allowlist. Otherwise {_LOST}."
        elif is_allowed(host, domains):
            yield f"{host} is in network.allowlist. hooks.json does not carry that: the environment must."
        else:
            yield f"{host} is not in the bundle's network.allowlist: {_LOST}."


def _server(entry: Entry) -> Http | None:
    """What the entry asks over the network."""
    found = entry.handler.server if isinstance(entry.handler, Gate) else entry.handler
    return found if isinstance(found, Http) else None


def _unchecked(running: Sequence[Entry], found: Touched) -> Iterator[str]:
    """The tools that the policies speak of while neither a gate nor the evaluator decides."""
    asking = [entry for entry in running if entry.decides]
    asked = {name for entry in asking for name in covered(entry)}
    missing = [name for name in DIALECT.tools if name in found.tools and name not in asked]
    if missing and not asking:
        yield f"{_NEITHER} a call: these hooks do not enforce the policies."
    elif missing:
        yield f"{_NEITHER} {', '.join(missing)}: rules on these do not hold here."


def _elsewhere(data: Mapping[str, Any]) -> Iterator[str]:
    rules = [(name, rule) for name, policy in governing(data).items() for rule in policy["rules"]]
    pinned = [_label(name, rule) for name, rule in rules if not at_hooks(rule["stages"])]
    beyond = [
        _label(name, rule)
        for name, rule in rules
        if at_hooks(rule["stages"]) and not reachable(rule["tools"], None, DIALECT)
    ]
    if pinned:
        yield f"Pinned to other stages, so not enforced at a hook: {_some(pinned)}."
    if beyond:
        yield f"About tools that hooks do not see, so not enforced at a hook: {_some(beyond)}."


def _label(policy: str, rule: Mapping[str, Any]) -> str:
    return f"{policy}: {quote(rule['label'])}"


def _some(items: Iterable[str]) -> str:
    listed = list(items)
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more
