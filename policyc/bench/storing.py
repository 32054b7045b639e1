"""Events in a store of their own: how many are written a second, and how long the newest take to list."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from policyc.bench.processes import measured_store

#: URL of an empty PostgreSQL database to measure as well.
DATABASE = "POLICYC_BENCH_DATABASE"


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
    """SQLite below ``folder``, and the database that the environment names."""
    folder.mkdir()
    urls = [f"sqlite:///{folder / 'events.db'}", os.environ.get(DATABASE)]
    return [StoreFigures(**measured_store(url, events)) for url in urls if url]
