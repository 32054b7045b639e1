"""Recorded calls decided again: which of them flip, and by which rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from policyc.engine.calls import CallError, read_call
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call

#: Calls kept of each flip.
_EXAMPLES = 3
#: What an event says of a call, by the key that a call has for it.
_CALL_KEYS = ("tool", "args", "stage", "agent", "run", "session", "environment_id")
#: What the store writes for an argument that a bundle masks, and after one that it cuts short.
_MASKED = "[masked]"
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Decided:
    """What decided a call, and how. ``would_be`` is what shadow kept from happening."""

    verdict: str
    would_be: str | None
    policy: str | None
    rule: str | None


#: How a recorded call was decided before; None where that is not known.
Before = Callable[[Mapping[str, Any], Call], Decided | None]


@dataclass(slots=True)
class Flip:
    """Recorded calls that go from one deciding rule and verdict to another."""

    before: Decided
    after: Decided
    count: int = 0
    agents: Counter[str] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    examples: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Replay:
    """``flips``, the most frequent first. ``undecided`` counts, by the reason, recorded calls of which it
    cannot be known what they would be now; ``undecided_tools`` by their tools."""

    total: int = 0
    undecided: Counter[str] = field(default_factory=Counter)
    undecided_tools: Counter[str] = field(default_factory=Counter)
    flips: list[Flip] = field(default_factory=list)


def replay(events: Iterable[object], before: Before, candidate: Evaluator) -> Replay:
    """Decides each recorded call (an event, or a call as the API takes it) under ``candidate``."""
    found, flips, after = Replay(), dict[tuple[Decided, Decided], Flip](), decided_by(candidate)
    for event in events:
        found.total += 1
        call = recorded_call(event)
        was = None if call is None else before(_object(event), call)
        now = None if call is None else after(_object(event), call)
        if was is None or now is None:
            found.undecided[_why_undecided(_object(event), call)] += 1
            found.undecided_tools[_tool(_object(event))] += 1
        elif (was.verdict, was.would_be) != (now.verdict, now.would_be):
            _count(flips.setdefault((was, now), Flip(was, now)), _object(event))
    found.flips = sorted(flips.values(), key=lambda flip: -flip.count)
    return found


def decided_by(evaluator: Evaluator) -> Before:
    """As another bundle decides it."""

    def decide(_event: Mapping[str, Any], call: Call) -> Decided:
        outcome = evaluator.decide(call)
        return Decided(outcome.verdict, outcome.would_be, outcome.policy, outcome.rule)

    return decide


def as_recorded(event: Mapping[str, Any], _call: Call) -> Decided | None:
    """As the event says that it was decided."""
    verdict = event.get("verdict")
    if not isinstance(verdict, str):
        return None
    return Decided(verdict, event.get("would_be"), event.get("policy"), event.get("rule"))


def recorded_call(event: object) -> Call | None:
    """The call that an event is about, None where it cannot be decided again."""
    known = _object(event)
    if _damage(known.get("args")) is not None:
        return None
    try:
        return read_call(_document(known) if "tool" in known else event)
    except CallError:
        return None


def _count(flip: Flip, event: Mapping[str, Any]) -> None:
    flip.count += 1
    flip.agents[str(event.get("agent") or "(none)")] += 1
    flip.tools[_tool(event)] += 1
    if len(flip.examples) < _EXAMPLES:
        flip.examples.append(_document(event) if "tool" in event else dict(event))


def _tool(event: Mapping[str, Any]) -> str:
    return str(event.get("tool") or event.get("tool_name") or "(none)")


def _document(event: Mapping[str, Any]) -> dict[str, Any]:
    return {name: event[name] for name in _CALL_KEYS if event.get(name) is not None}


def _object(event: object) -> Mapping[str, Any]:
    return event if isinstance(event, dict) else {}


def _why_undecided(event: Mapping[str, Any], call: Call | None) -> str:
    damage = _damage(event.get("args"))
    if damage is not None:
        return damage
    return "no call" if call is None else "no verdict"


def _damage(value: object) -> str | None:
    """What the store did to arguments; masking says more than cutting."""
    if isinstance(value, str):
        if value == _MASKED:
            return "masked"
        return "cut short" if value.endswith(_CUT) or f"{_CUT} (" in value else None
    inside: Iterable[object] = ()
    if isinstance(value, dict):
        inside = (item for pair in value.items() for item in pair)
    elif isinstance(value, list):
        inside = value
    return max(filter(None, map(_damage, inside)), default=None)
