"""Rows of the store as the API writes them: times in ISO 8601, masked arguments as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIMES = ("at", "first_at", "last_at", "minute")


def moment(microseconds: int) -> str:
    """A time in ISO 8601, UTC."""
    return (_EPOCH + timedelta(microseconds=microseconds)).isoformat(timespec="microseconds")


def event_document(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "at": moment(row["at"]), "args": json.loads(row["args"])}


def count_document(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of counts: empty texts stand for null in its key."""
    return {
        name: moment(value) if name in _TIMES else (value if value != "" else None)
        for name, value in row.items()
    }
