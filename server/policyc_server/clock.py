"""The time as the store keeps it."""

from __future__ import annotations

import time


def microseconds() -> int:
    """Since the epoch, by the wall clock."""
    return time.time_ns() // 1000
