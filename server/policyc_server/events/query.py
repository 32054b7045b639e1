"""The query of a request for events, read strictly: what is not known is refused, not ignored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from starlette.datastructures import QueryParams

from policyc.engine.model import VERDICTS
from policyc_server.errors import ApiError
from policyc_server.store.events import Filter
from policyc_server.store.writing import storable

MOST = 1_000
_DEFAULT = 50
_TEXTS = ("surface", "tool", "agent", "run", "rule", "policy", "revision", "text")
_OTHERS = ("verdict", "since", "until", "limit", "before", "format")


def read_filter(query: QueryParams, more: tuple[str, ...] = ()) -> Filter:
    """Raises ApiError 422 for a parameter that is unknown, given twice or wrong; ``more`` are known too."""
    names = (*_TEXTS, *_OTHERS, *more)
    for name in query:
        if name not in names:
            known = ", ".join(sorted(names))
            raise _wrong(name, f"is not a parameter of events; there are {known}")
        if len(query.getlist(name)) > 1 and name != "verdict":
            raise _wrong(name, "is given twice")
    verdicts = tuple(query.getlist("verdict"))
    for verdict in verdicts:
        if verdict not in VERDICTS:
            raise _wrong("verdict", f"{verdict[:40]!r} is not a verdict; verdicts are {', '.join(VERDICTS)}")
    texts: dict[str, Any] = {name: storable(query[name]) for name in _TEXTS if query.get(name)}
    return Filter(verdicts, since=_moment(query, "since"), until=_moment(query, "until"), **texts)


def read_limit(query: Mapping[str, str]) -> int:
    """``limit``, 1 to MOST. Raises ApiError 422."""
    limit = read_number(query, "limit")
    if limit is None:
        return _DEFAULT
    if not 1 <= limit <= MOST:
        raise _wrong("limit", f"is not between 1 and {MOST}")
    return limit


def read_number(query: Mapping[str, str], name: str) -> int | None:
    """A whole number, None where it is absent. Raises ApiError 422."""
    text = query.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise _wrong(name, "is not a whole number")
    return int(text)


def _moment(query: Mapping[str, str], name: str) -> int | None:
    """A time as microseconds since the epoch, from ISO 8601 (UTC where it names no zone)."""
    text = query.get(name)
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return int(moment.timestamp() * 1_000_000)
    except (ValueError, OverflowError):
        raise _wrong(name, "is no time like 2026-01-31T12:00:00Z") from None


def _wrong(name: str, message: str) -> ApiError:
    return ApiError(422, "invalid_query", f"{name} {message}", path=name)
