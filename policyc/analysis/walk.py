"""What the walks over regions share: which case decides of those that may, and which may at all."""

from __future__ import annotations

from collections.abc import Sequence

from policyc.analysis.cases import Case, Effect, assumptions
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.engine.model import PERMITTING, STRICTNESS


def settled(cases: Sequence[Case], noted: Sequence[Case], surface: str) -> Case:
    """Which case decides on a surface, as in the engine: of those that may match, up to one that is certain,
    and of those in shadow."""
    found = strictest(cases, surface)
    effect = found.effects[surface]
    return strictest(noted, surface) if noted and (effect.would_be or effect.verdict) in PERMITTING else found


def strictest(cases: Sequence[Case], surface: str) -> Case:
    """The strictest verdict, the first of a kind."""
    return min(cases, key=lambda case: _strictness(case.effects[surface]))


def _strictness(effect: Effect) -> tuple[int, int]:
    return STRICTNESS.index(effect.verdict), STRICTNESS.index(effect.would_be or effect.verdict)


def may_hold(case: Case, region: Region, solver: Solver) -> bool:
    """Whether the case may be true for a call in ``region``."""
    if case.globs is not None and region.names.misses(case.globs):
        return False
    return any(truth is not False and not solver.is_empty(part) for part, truth in assumptions(case, region))
