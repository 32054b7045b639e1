"""Counts as shapes; templates draw them as SVG. Lengths are in the units of the chart's view box."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: From the bottom of a bar to its top: what stops calls is where the eye goes.
ORDER = ("allow", "audit", "sanitize", "pending_approval", "deny")
MINUTE = 60_000_000

WIDTH = 720
HEIGHT = 150
_GAP = 2


@dataclass(frozen=True)
class Part:
    """One verdict's part of a bar."""

    verdict: str
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Bar:
    """One minute (microseconds), with its parts."""

    minute: int
    total: int
    x: float
    width: float
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Chart:
    """Bars over time, and the value at the top of the chart."""

    bars: tuple[Bar, ...]
    top: int
    totals: dict[str, int]


def per_minute(rows: Iterable[Mapping[str, Any]], now: int, minutes: int) -> Chart:
    """``minutes`` bars up to the minute of ``now``, from rows of minute, verdict and count."""
    last = now - now % MINUTE
    starts = [last - MINUTE * back for back in reversed(range(minutes))]
    counts: dict[int, dict[str, int]] = {start: {} for start in starts}
    for row in rows:
        if row["minute"] in counts:
            counts[row["minute"]][row["verdict"]] = row["count"]
    top = round_up(max(sum(found.values()) for found in counts.values()))
    step = WIDTH / minutes
    bars = tuple(_bar(start, n * step, step - _GAP, counts[start], top) for n, start in enumerate(starts))
    totals = {verdict: sum(found.get(verdict, 0) for found in counts.values()) for verdict in ORDER}
    return Chart(bars, top, totals)


def _bar(minute: int, x: float, width: float, counts: Mapping[str, int], top: int) -> Bar:
    parts = []
    y = float(HEIGHT)
    for verdict in ORDER:
        if count := counts.get(verdict, 0):
            # Never too thin to see: one deny among thousands is what one looks for.
            height = max(count / top * HEIGHT, 1.5)
            y = max(y - height, 0.0)
            parts.append(Part(verdict, count, round(x, 2), round(y, 2), round(width, 2), round(height, 2)))
    return Bar(minute, sum(counts.values()), round(x, 2), round(width, 2), tuple(parts))


def round_up(value: int) -> int:
    """The next value with one leading digit that people read easily: 1, 2, 5, 10, 20, 50, ..."""
    size = 1
    while True:
        for step in (1, 2, 5):
            if step * size >= value:
                return step * size
        size *= 10


def shares(counts: Mapping[str, Any], width: float) -> list[Part]:
    """One bar across ``width``, divided by verdict."""
    total = sum(counts[verdict] for verdict in ORDER)
    parts, x = [], 0.0
    for verdict in ORDER:
        if count := counts[verdict]:
            parts.append(Part(verdict, count, round(x, 2), 0, round(count / total * width, 2), 8))
            x += count / total * width
    return parts


def timeline(events: Sequence[Mapping[str, Any]], first: int, last: int) -> list[Part]:
    """A mark for each event, by its time between ``first`` and ``last``."""
    span = max(last - first, 1)
    place = (WIDTH - 4) / span
    return [Part(event["verdict"], 1, round((event["at"] - first) * place, 2), 0, 4, 24) for event in events]
