"""All there is to say about the difference of two bundles, as one value for every form of output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from policyc.analysis.budget import Budget
from policyc.analysis.difference import Change
from policyc.analysis.plans import compare_plans
from policyc.analysis.structure import Edit, edits
from policyc.analysis.traffic import Flip, Replay, decided_by, recorded_call, replay
from policyc.analysis.witness import Document
from policyc.engine.evaluate import Evaluator
from policyc.engine.model import STRICTNESS
from policyc.engine.plan import Plan

#: States of automata for all questions: as many at least, and as many for each rule.
_STATES, _STATES_OF_A_RULE = 1_000_000, 2_000


@dataclass(frozen=True, slots=True)
class Region:
    """Calls that change alike: what the analyser found, and the recorded calls among them."""

    change: Change
    recorded: Flip | None = None

    @property
    def risk(self) -> tuple[bool, int, int]:
        """Sorts what is loosened first, then by how far the verdict goes, then by how often it was called."""
        before, after = (STRICTNESS.index(it.verdict) for it in (self.change.before, self.change.after))
        recorded = 0 if self.recorded is None else self.recorded.count
        return self.change.direction != "loosened", -abs(before - after), -recorded


@dataclass(frozen=True, slots=True)
class Report:
    """``regions``, the riskiest first. ``unknown`` is empty where it is proved that nothing else changes.
    ``others`` are flips of recorded calls that fall into no region; ``traffic`` is None without events."""

    regions: tuple[Region, ...]
    structure: tuple[Edit, ...]
    unknown: tuple[str, ...]
    traffic: Replay | None = None
    others: tuple[Flip, ...] = ()

    @property
    def rest(self) -> str:
        return "unknown" if self.unknown else "proved"

    @property
    def uncovered(self) -> bool:
        """Whether a tool lost the hook that stood before it."""
        return any(edit.kind == "uncovered" for edit in self.structure)

    @property
    def loosened(self) -> int:
        return sum(region.change.direction == "loosened" for region in self.regions)

    @property
    def tightened(self) -> int:
        return len(self.regions) - self.loosened


def report(
    old: Evaluator,
    new: Evaluator,
    *,
    events: Sequence[object] | None = None,
    tried: Sequence[Document] = (),
    budget: Budget | None = None,
) -> Report:
    """Compares two bundles. ``events`` are recorded calls; ``tried`` are calls to look for witnesses in."""
    recorded = [event for event in events or () if isinstance(event, dict) and recorded_call(event)]
    calls = [*tried, *recorded]
    found = compare_plans(old.plan, new.plan, budget=budget or budget_for(new.plan), calls=calls)
    traffic = None if events is None else replay(events, decided_by(old), new)
    flips = list(traffic.flips) if traffic else []
    regions = [Region(change, _taken(change, flips)) for change in found.changes]
    return Report(
        tuple(sorted(regions, key=lambda region: region.risk)),
        tuple(edits(old.plan.data, new.plan.data)),
        tuple(found.unknown),
        traffic,
        tuple(flips),
    )


def budget_for(plan: Plan) -> Budget:
    """What a comparison with ``plan`` may cost: a refactor may have rewritten every expression."""
    rules = sum(len(policy.rules) for policy in plan.policies.values())
    return Budget(states=max(_STATES, _STATES_OF_A_RULE * rules))


def _taken(change: Change, flips: list[Flip]) -> Flip | None:
    """The flips that the change explains as one, taken out of ``flips``."""
    mine = [flip for flip in flips if _pair(change.before, change.after) == _pair(flip.before, flip.after)]
    if not mine:
        return None
    flips[:] = [flip for flip in flips if flip not in mine]
    return mine[0]


def _pair(before: Any, after: Any) -> tuple[object, ...]:
    return tuple(part for it in (before, after) for part in (it.policy, it.rule, it.verdict, it.would_be))
