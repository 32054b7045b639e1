"""Events in a store of their own: how many are written a second, and how long the newest take to list."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from policyc.bench.postgresql import is_installed, postgresql
from policyc.bench.processes import measured_store


@dataclass(frozen=True)
class StoreFigures:
    """One kind of database. Times are milliseconds, medians."""

    database: str
    written: int
    """Events written to see the rate."""
    rate: float
    """Events a second, in batches as the server makes them."""
    events: int
    newest_ms: float
    """The newest 50 of all ``events``."""
    denied_ms: float
    """The newest 50 that were denied."""


def measure_store(folder: Path, *, events: int) -> list[StoreFigures]:
    """SQLite below ``folder``; with a tenth of the events also PostgreSQL, where its server is installed."""
    folder.mkdir()
    figures = [StoreFigures(**measured_store(f"sqlite:///{folder / 'events.db'}", events))]
    if is_installed():
        with postgresql() as server:
            figures.append(StoreFigures(**measured_store(f"{server}/postgres", events // 10)))
    return figures
