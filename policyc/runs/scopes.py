"""What a count belongs to, as the names of counters."""

from __future__ import annotations

import hashlib

from policyc.engine.budgets import Counted
from policyc.engine.model import Call
from policyc.runs.canonical import canonical


def run_of(call: Call) -> str | None:
    """What the call is a part of; None where it does not say."""
    return call.run or call.environment_id or call.session


def of_spend(call: Call) -> str | None:
    """The cents that a run of an agent has spent, under whatever policy."""
    run = run_of(call)
    return None if run is None else _named("spend", call.agent, run)


def of_fraction(call: Call) -> str | None:
    """The millionths of a cent that a run has spent, where somebody measures."""
    run = run_of(call)
    return None if run is None else _named("fraction", call.agent, run)


def of_rate(counted: Counted, call: Call, bundle: str) -> str | None:
    """The calls that a rule counts, of one agent, run or tool."""
    budget = counted.budget
    whose = _OWNERS[budget.per](call)
    if whose is None:
        return None
    return _named("rate", bundle, counted.policy, counted.label, budget.window, budget.per, *whose)


def of_sequence(counted: Counted, call: Call, bundle: str) -> str | None:
    """How far a run has come in a rule's sequence, as it is written now."""
    run, budget = run_of(call), counted.budget
    if run is None:
        return None
    steps = [list(step) for step in budget.steps]
    return _named("sequence", bundle, counted.policy, counted.label, budget.window, steps, call.agent, run)


def _of_agent(call: Call) -> list[str | None]:
    return [call.agent]


def _of_run(call: Call) -> list[str | None] | None:
    run = run_of(call)
    return None if run is None else [call.agent, run]


def _of_tool(call: Call) -> list[str | None]:
    return [call.canonical or call.tool]


_OWNERS = {"agent": _of_agent, "run": _of_run, "tool": _of_tool}


def _named(*parts: object) -> str:
    return hashlib.sha256(canonical(list(parts))).hexdigest()
