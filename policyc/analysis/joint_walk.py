"""Two first-match walks over one region at once. Where a case that both have decides, nothing changes, and
what comes after it need not be looked at: this is what keeps a small edit of a long policy cheap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from policyc.analysis.cases import Case, assumptions
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.analysis.walk import settled
from policyc.engine.model import REWRITING_HOOK

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
    """How far one walk has come: ``possible`` may match, ``noted`` are in shadow, and it may have ended."""

    at: int = 0
    possible: tuple[Case, ...] = ()
    noted: tuple[Case, ...] = ()
    ended: bool = False

    def after(self, case: Case, truth: bool | None) -> _Side:
        if truth is False:
            return replace(self, at=self.at + 1)
        if case.noted:
            return replace(self, at=self.at + 1, noted=(*self.noted, case))
        return replace(self, at=self.at + 1, possible=(*self.possible, case), ended=truth is True)

    def decided(self, surface: str) -> Case:
        return settled(self.possible, self.noted, surface)


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
        if before.ended and after.ended:
            yield from _parted(part, before, after)
            continue
        solver.budget.step()
        case, moves = _next(old, new, same, before, after)
        # The part that fails by the first clause goes on first: it leaves the most open.
        for left, truth in reversed([*assumptions(case, part)]):
            if truth and moves == (True, True) and not case.noted and _are_even(before, after):
                continue
            sides = [
                side.after(case, truth) if moving else side
                for side, moving in zip((before, after), moves, strict=True)
            ]
            stack.append((left, sides[0], sides[1]))


def _are_even(before: _Side, after: _Side) -> bool:
    """Whether what is certain now ends both walks in the same way."""
    return not before.possible and not after.possible and _keys(before.noted) == _keys(after.noted)


def _keys(cases: tuple[Case, ...]) -> list[str]:
    return [case.key for case in cases]


def _parted(region: Region, before: _Side, after: _Side) -> Iterator[Parting]:
    """The parts of the region where the walks end differently: a verdict is another one on some surfaces."""
    stages: dict[tuple[str, str], set[str]] = defaultdict(set)
    pairs: dict[tuple[str, str], tuple[Case, Case]] = {}
    for stage in region.stages:
        for surface in _SURFACES.get(stage, (stage,)):
            old, new = before.decided(surface), after.decided(surface)
            if old.effects[surface] != new.effects[surface]:
                stages[old.key, new.key].add(stage)
                pairs[old.key, new.key] = old, new
    for keys, pair in pairs.items():
        part = region.on_stages(frozenset(stages[keys]))
        if part is not None:
            yield Parting(part, *pair)


_SURFACES: Final = {"hook": ("hook", REWRITING_HOOK)}


def _next(
    old: Sequence[Placed], new: Sequence[Placed], same: Mapping[int, int], before: _Side, after: _Side
) -> tuple[Case, tuple[bool, bool]]:
    """The case to look at, and which of the walks go on over it."""
    if before.ended:
        return new[after.at][1], (False, True)
    if after.ended:
        return old[before.at][1], (True, False)
    place, case = old[before.at]
    partner = same.get(place)
    if partner == new[after.at][0]:
        return case, (True, True)
    if partner is None:
        return case, (True, False)
    return new[after.at][1], (False, True)
