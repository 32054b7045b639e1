"""Sets of JSON numbers as intervals. A number is an integer of any size or a double, and nothing between two
neighbouring doubles is one unless it is an integer: an interval may hold no number at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

Number = int | float

#: An end of an interval: a number, and whether it belongs to it; None is no end.
End = tuple[Number, bool] | None


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers between two ends."""

    low: End = None
    high: End = None

    def __contains__(self, number: Number) -> bool:
        if self.low is not None and (number < self.low[0] or (number == self.low[0] and not self.low[1])):
            return False
        return self.high is None or number < self.high[0] or (number == self.high[0] and self.high[1])

    def meet(self, other: Interval) -> Interval | None:
        """The numbers in both, None where no JSON number is."""
        low = max(
            (end for end in (self.low, other.low) if end), key=lambda end: (end[0], not end[1]), default=None
        )
        high = min(
            (end for end in (self.high, other.high) if end), key=lambda end: (end[0], end[1]), default=None
        )
        met = Interval(low, high)
        return None if met.example() is None else met

    def example(self) -> Number | None:
        """The number that people would name, an integer if there is one; None for an empty set."""
        return next((number for number in self._candidates() if number in self), None)

    def _candidates(self) -> Iterable[Number]:
        yield from (0, 1)
        for end, towards in ((self.low, math.inf), (self.high, -math.inf)):
            if end is None:
                continue
            number = end[0]
            yield number
            step = 1 if towards > 0 else -1
            yield math.floor(number) + 1 if step > 0 else math.ceil(number) - 1
            if abs(number) < 2**1000:
                yield math.nextafter(float(number), towards)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Intervals that do not overlap, in order; none of them is empty."""

    intervals: tuple[Interval, ...]

    def __contains__(self, number: Number) -> bool:
        return any(number in interval for interval in self.intervals)

    def __bool__(self) -> bool:
        return bool(self.intervals)

    def meet(self, other: Numbers) -> Numbers:
        """The numbers in both."""
        met = (one.meet(two) for one in self.intervals for two in other.intervals)
        return Numbers(tuple(interval for interval in met if interval is not None))

    def complement(self) -> Numbers:
        """The numbers that are not in the set."""
        rest = ALL
        for interval in self.intervals:
            outside = []
            if interval.low is not None:
                outside.append(Interval(None, (interval.low[0], not interval.low[1])))
            if interval.high is not None:
                outside.append(Interval((interval.high[0], not interval.high[1]), None))
            rest = rest.meet(Numbers(tuple(outside)))
        return rest

    def example(self) -> Number | None:
        """The number in the set that people would name, None for an empty set."""
        found = [number for interval in self.intervals if (number := interval.example()) is not None]
        return min(found, key=lambda number: (isinstance(number, float), abs(number)), default=None)


NONE = Numbers(())
ALL = Numbers((Interval(),))


def exactly(numbers: Iterable[Number]) -> Numbers:
    """These numbers; 1 and 1.0 are one."""
    return Numbers(tuple(Interval((number, True), (number, True)) for number in sorted(set(numbers))))


def above(bound: Number, *, inclusive: bool) -> Numbers:
    return Numbers((Interval((bound, inclusive), None),))


def below(bound: Number, *, inclusive: bool) -> Numbers:
    return Numbers((Interval(None, (bound, inclusive)),))
