"""What a call counts for the budgets of its policy, and what the numbers come to.

Times are microseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policyc.engine.budgets import Counted
from policyc.engine.model import Call
from policyc.runs.scopes import of_rate, of_sequence, of_spend

SECOND = 1_000_000
#: What a run has spent, and a sequence without a window, is forgotten so long after the run's last call.
KEPT_RUN = 30 * 24 * 3600 * SECOND


@dataclass(frozen=True)
class Addition:
    """``amount`` more in the counter of ``scope`` in ``window``."""

    scope: str
    window: int
    amount: int
    expires_at: int


@dataclass(frozen=True)
class Advance:
    """A call that is these ``steps`` (from 1) of a sequence, which takes at most ``within`` microseconds."""

    scope: str
    steps: tuple[int, ...]
    within: int | None
    expires_at: int

    def taken(self, starts: Mapping[int, int], now: int) -> tuple[int, dict[int, int]]:
        """The furthest step that the call takes (0: none, since the steps before it were not taken in time),
        and what changes of ``starts``.

        For each step the latest start of a chain that reached it is kept: of all chains it has the longest
        to go.
        """
        furthest = 0
        changed: dict[int, int] = {}
        # From the last step on, so that one call takes one step of a chain.
        for step in sorted(self.steps, reverse=True):
            start = now if step == 1 else starts.get(step - 1)
            if start is None or (self.within is not None and start <= now - self.within):
                continue
            furthest = max(furthest, step)
            if start > starts.get(step, -1):
                changed[step] = start
        return furthest, changed


class Tally:
    """What counting ``call`` asks of the counters, and what the call is told that they said."""

    def __init__(self, call: Call, counting: Sequence[Counted], bundle: str, now: int) -> None:
        self._call = call
        self._counting = counting
        self._spend = _spend(call, now)
        self._additions: list[tuple[str | None, Addition]] = []
        self._advances: list[tuple[str | None, Advance]] = []
        if self._spend is not None:
            self._additions.append((None, self._spend))
        for counted in counting:
            if counted.budget.kind == "rate":
                self._additions += _rate(counted, call, bundle, now)
            elif counted.budget.kind == "sequence":
                self._advances += _sequence(counted, call, bundle, now)

    @property
    def additions(self) -> list[Addition]:
        return [addition for _, addition in self._additions]

    @property
    def advances(self) -> list[Advance]:
        return [advance for _, advance in self._advances]

    def tell(self, counts: Sequence[int], taken: Sequence[int]) -> None:
        """Puts on the call what each counter says now, and the furthest step of each sequence."""
        found = {
            label: number
            for (label, _), number in [
                *zip(self._additions, counts, strict=True),
                *zip(self._advances, taken, strict=True),
            ]
            if label is not None
        }
        if self._spend is not None:
            found |= {one.label: counts[0] for one in self._counting if one.budget.kind == "cap_cost"}
        for part in self._call.parts:
            part.counted = found


def _spend(call: Call, now: int) -> Addition | None:
    scope = of_spend(call)
    return None if scope is None else Addition(scope, 0, call.cost_cents, now + KEPT_RUN)


def _rate(counted: Counted, call: Call, bundle: str, now: int) -> list[tuple[str | None, Addition]]:
    scope = of_rate(counted, call, bundle)
    length = counted.budget.window * SECOND
    window = now // length
    return [] if scope is None else [(counted.label, Addition(scope, window, 1, (window + 1) * length))]


def _sequence(counted: Counted, call: Call, bundle: str, now: int) -> list[tuple[str | None, Advance]]:
    scope = of_sequence(counted, call, bundle)
    within = counted.budget.window * SECOND
    if scope is None:
        return []
    return [(counted.label, Advance(scope, tuple(counted.steps), within or None, now + (within or KEPT_RUN)))]
