"""Moments and spans of time as test files write them, in microseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SPAN = re.compile(r"([0-9]{1,9})(ms|s|m|h|d)\Z")
_UNITS = {"ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
#: When a test begins that does not say: the beginning of a minute, an hour, a day and a year.
NEW_YEAR = 1_767_225_600_000_000


def read_moment(text: str) -> int | None:
    """RFC 3339 to microseconds since the epoch; None for anything else, also a time without an offset."""
    try:
        at = datetime.fromisoformat(text)
        return None if at.tzinfo is None else (at - _EPOCH) // _MICROSECOND
    except (ValueError, OverflowError):
        return None


def read_span(text: str) -> int | None:
    """A whole number and its unit (``61s``); None for anything else."""
    found = _SPAN.match(text)
    return None if found is None else int(found[1]) * _UNITS[found[2]]


def moment(at: int) -> str:
    """Microseconds since the epoch, for people."""
    try:
        return (_EPOCH + timedelta(microseconds=at)).isoformat()
    except OverflowError:
        return "after the year 9999"
