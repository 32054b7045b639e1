"""Whether the gate asks the evaluator itself, and about which calls.

A hold passes once it was approved, and a budget counts a call: each call is one question. So where a policy
holds or counts, a handler ``server`` before a call becomes a gate that asks, and nobody asks after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from policyc.compiler.hooks import EVENTS
from policyc.engine.dialects.managed import DIALECT
from policyc.hooks.declared import Entry, Gate, Group, Http
from policyc.hooks.open_points import covered
from policyc.hooks.touch import at_hooks, governing

_BUDGETS: Final = ("cap_cost_cents", "rate", "sequence")


def needs_server(data: Mapping[str, Any]) -> bool:
    """Whether a rule at hooks, not in shadow, holds or has a budget. ``data`` is a valid plan."""
    return any(
        not policy["shadow"] and any(map(_needs_server, policy["rules"]))
        for policy in governing(data).values()
    )


def _needs_server(rule: Mapping[str, Any]) -> bool:
    asks = rule["verdict"] == "pending_approval" or any(rule.get(key) for key in _BUDGETS)
    return asks and not rule.get("shadow") and at_hooks(rule["stages"])


def with_asking_gates(groups: Sequence[Group], gate_timeout: int) -> list[Group]:
    """``groups``, whose entries have matchers, with gates that ask in the place of gates and the evaluator
    before a call: one for each tool. ``gate_timeout``: seconds of a gate beside those of the evaluator."""
    asked_anyway = {name for entry in _before(groups) if entry.asks_evaluator for name in covered(entry)}
    server = next((entry.handler for entry in _before(groups) if entry.asks_evaluator), None)
    if not isinstance(server, Http):
        return list(groups)
    done: set[str] = set()

    def entries(group: Group) -> Iterator[Entry]:
        for entry in group.entries:
            is_gate = isinstance(entry.handler, Gate)
            if not _is_before(group, entry) or not (is_gate or entry.asks_evaluator):
                yield entry
            elif not (is_gate and covered(entry) <= asked_anyway):
                more = 0 if is_gate else gate_timeout
                yield from _asking(replace(entry, handler=Gate(server), timeout=entry.timeout + more), done)

    return [replace(group, entries=tuple(entries(group))) for group in groups]


def _asking(entry: Entry, done: set[str]) -> Iterator[Entry]:
    """``entry`` for the tools that are not ``done``, which grows by them."""
    tools = covered(entry)
    left = [name for name in DIALECT.tools if name in tools - done]
    if not tools & done:
        yield entry
    elif left:
        yield replace(entry, matcher=f"^(?:{'|'.join(left)})$")
    done |= tools


def _before(groups: Sequence[Group]) -> Iterator[Entry]:
    return (entry for group in groups for entry in group.entries if _is_before(group, entry))


def _is_before(group: Group, entry: Entry) -> bool:
    return group.runs and entry.event == EVENTS[0]
