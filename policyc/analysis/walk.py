"""What the walks over regions share: which case decides of those that may, and which may at all."""

from __future__ import annotations

from collections.abc import Sequence

from policyc.analysis.cases import Case, assumptions
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.engine.model import STRICTNESS


def strictest(possible: Sequence[Case]) -> Case:
    """As in the engine: the strictest verdict, the first of a kind."""
    return min(possible, key=lambda case: STRICTNESS.index(case.effect.would_be or case.effect.verdict))


def may_hold(case: Case, region: Region, solver: Solver) -> bool:
    """Whether the case may be true for a call in ``region``."""
    if case.globs is not None and region.names.misses(case.globs):
        return False
    return any(truth is not False and not solver.is_empty(part) for part, truth in assumptions(case, region))
