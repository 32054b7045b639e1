"""Two first-match walks over one region at once. Where a case that both have decides, nothing changes, and
what comes after it need not be looked at: this is what keeps a small edit of a long policy cheap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from policyc.analysis.cases import Case, assumptions
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.analysis.walk import strictest

#: A case with its place in its policy.
Placed = tuple[int, Case]


@dataclass(frozen=True, slots=True)
class Parting:
    """The calls of ``region`` are decided by ``old`` before and by ``new`` now, and those do other things."""

    region: Region
    old: Case
    new: Case


@dataclass(frozen=True, slots=True)
class _Side:
    """How far one walk has come: ``possible`` may match, ``decided`` ended it."""

    at: int = 0
    possible: tuple[Case, ...] = ()
    decided: Case | None = None

    def after(self, case: Case, truth: bool | None) -> _Side:
        possible = self.possible if truth is False else (*self.possible, case)
        return _Side(self.at + 1, possible, strictest(possible) if truth else None)


def partings(
    old: Sequence[Placed], new: Sequence[Placed], same: Mapping[int, int], region: Region, solver: Solver
) -> Iterator[Parting]:
    """Every way in which the walks end differently. ``same``: places in the old policy to those of the same
    case in the new one. Raises Exhausted."""
    stack = [(region, _Side(), _Side())]
    while stack:
        part, before, after = stack.pop()
        # Asked as late as can be: whoever reads the partings may have seen enough before.
        if solver.is_empty(part):
            continue
        if before.decided is not None and after.decided is not None:
            if before.decided.effect != after.decided.effect:
                yield Parting(part, before.decided, after.decided)
            continue
        solver.budget.step()
        case, moves = _next(old, new, same, before, after)
        # The part that fails by the first clause goes on first: it leaves the most open.
        for left, truth in reversed([*assumptions(case, part)]):
            if moves == (True, True) and truth and not (before.possible or after.possible):
                continue
            sides = [
                side.after(case, truth) if moving else side
                for side, moving in zip((before, after), moves, strict=True)
            ]
            stack.append((left, sides[0], sides[1]))


def _next(
    old: Sequence[Placed], new: Sequence[Placed], same: Mapping[int, int], before: _Side, after: _Side
) -> tuple[Case, tuple[bool, bool]]:
    """The case to look at, and which of the walks go on over it."""
    if before.decided is not None:
        return new[after.at][1], (False, True)
    if after.decided is not None:
        return old[before.at][1], (True, False)
    place, case = old[before.at]
    partner = same.get(place)
    if partner == new[after.at][0]:
        return case, (True, True)
    if partner is None:
        return case, (True, False)
    return new[after.at][1], (False, True)
