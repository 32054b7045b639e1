"""Quantiles of samples, and what the timer itself costs."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter_ns

_TIMER_SAMPLES = 20_000


def quantile(samples: Sequence[float], share: float) -> float:
    """The sample that ``share`` of all are not above (nearest rank). 0.0 of no samples."""
    if not samples:
        return 0.0
    ordered = sorted(samples)
    return float(ordered[min(len(ordered) - 1, int(share * len(ordered)))])


def median(samples: Sequence[float]) -> float:
    """The sample in the middle."""
    return quantile(samples, 0.5)


def timer_overhead_ns() -> int:
    """Nanoseconds between two readings of the clock with nothing between them: the median of many."""
    samples = []
    for _ in range(_TIMER_SAMPLES):
        started = perf_counter_ns()
        samples.append(perf_counter_ns() - started)
    return int(median(samples))
