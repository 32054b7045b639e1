"""``/v1/events``, ``/v1/runs`` and ``/v1/shadow``: what happened, and what would have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import groupby
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from policyc_server.answers import encode
from policyc_server.auth.guard import stands
from policyc_server.errors import ApiError
from policyc_server.events.documents import count_document, event_document
from policyc_server.events.query import MOST, read_filter, read_limit, read_number
from policyc_server.store.events import EventStore, Filter
from policyc_server.store.reading import reading

#: Seconds between looks for new events, and between lines that keep a quiet stream open.
_LOOK = 0.25
_KEEP_OPEN = 15.0

#: From a row of the store to what is sent of it.
Document = Callable[[dict[str, Any]], dict[str, Any]]
Check = Callable[[], Awaitable[bool]]


class EventEndpoints:
    """Reads the store on threads, never on the event loop."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        #: Set when the server stops, which would wait for streams.
        self.is_closing = False

    def routes(self) -> list[Route]:
        return [
            Route("/v1/events", self.events),
            Route("/v1/events/stream", self.stream),
            Route("/v1/runs", self.runs),
            Route("/v1/runs/{run:path}", self.run),
            Route("/v1/shadow", self.shadow),
        ]

    async def events(self, request: Request) -> Response:
        """A page, newest first, with ``next`` for the one after it; or all of them as JSON lines."""
        query = request.query_params
        found = read_filter(query)
        if query.get("format", "json") == "jsonl":
            return StreamingResponse(self._export(found), media_type="application/jsonl")
        limit = read_limit(query)
        rows = await self._page(found, limit=limit, before=read_number(query, "before"))
        return _json({"events": [event_document(row) for row in rows], "next": _next(rows, "seq", limit)})

    async def stream(self, request: Request) -> Response:
        """Server-sent events: what is committed from now on, or after ``Last-Event-ID`` or ``after``; until
        the key is revoked."""

        async def is_welcome() -> bool:
            return stands(request.scope)

        return await self.tail(request, event_document, is_welcome)

    async def tail(self, request: Request, document: Document, is_welcome: Check) -> Response:
        """The stream, with each event as ``document`` makes it, for as long as ``is_welcome`` says so."""
        query = request.query_params
        found = read_filter(query, more=("after",))
        last = read_number(request.headers, "last-event-id")
        if last is None:
            last = read_number(query, "after")
        if last is None:
            last = await reading(self._store.last_seq)
        return StreamingResponse(
            self._follow(request, found, last, document, is_welcome),
            media_type="text/event-stream",
            headers={"cache-control": "no-store"},
        )

    async def runs(self, request: Request) -> Response:
        query = request.query_params
        limit = read_limit(query)
        before = read_number(query, "before")
        rows = await reading(self._store.runs, limit=limit, before=before)
        return _json({"runs": [count_document(row) for row in rows], "next": _next(rows, "last_at", limit)})

    async def run(self, request: Request) -> Response:
        """A run's counts and its newest events, newest first."""
        name = request.path_params["run"]
        row = await reading(self._store.run, name)
        if row is None:
            raise ApiError(404, "not_found", f"there is no run {name[:200]!r}")
        query = request.query_params
        limit = read_limit(query)
        rows = await self._page(Filter(run=name), limit=limit, before=read_number(query, "before"))
        timeline = [event_document(each) for each in rows]
        return _json({**count_document(row), "events": timeline, "next": _next(rows, "seq", limit)})

    async def shadow(self, _request: Request) -> Response:
        """For each rule in shadow: what it would have done, how often, to which agents and tools."""
        rows = await reading(self._store.hits, shadow_only=True)
        return _json({"rules": list(_by_rule(rows))})

    async def _page(self, found: Filter, *, limit: int, before: int | None) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = await reading(self._store.page, found, limit=limit, before=before)
        return rows

    async def _export(self, found: Filter) -> AsyncIterator[bytes]:
        before = None
        while True:
            rows = await self._page(found, limit=MOST, before=before)
            yield b"".join(encode(event_document(row)) + b"\n" for row in rows)
            if len(rows) < MOST:
                return
            before = rows[-1]["seq"]

    async def _follow(
        self, request: Request, found: Filter, last: int, document: Document, is_welcome: Check
    ) -> AsyncIterator[bytes]:
        quiet = 0.0
        yield b": open\n\n"
        while not (self.is_closing or await request.is_disconnected()) and await is_welcome():
            rows = await reading(self._store.after, last, found, limit=MOST)
            for row in rows:
                last = row["seq"]
                yield b"id: %d\ndata: %s\n\n" % (last, encode(document(row)))
            quiet = 0.0 if rows else quiet + _LOOK
            if quiet >= _KEEP_OPEN:
                quiet = 0.0
                yield b": quiet\n\n"
            await asyncio.sleep(_LOOK)


def _by_rule(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    def rule(row: dict[str, Any]) -> tuple[str, str, str]:
        return row["policy"], row["rule"], row["would_be"]

    for (policy, label, would_be), group in groupby(sorted(rows, key=rule), key=rule):
        stopped = [count_document(row) for row in group]
        yield {
            "policy": policy,
            "rule": label or None,
            "would_be": would_be,
            "count": sum(row["count"] for row in stopped),
            "last_at": max(row["last_at"] for row in stopped),
            "calls": [{name: row[name] for name in ("agent", "tool", "count", "last_at")} for row in stopped],
        }


def _next(rows: list[dict[str, Any]], key: str, limit: int) -> str | None:
    return str(rows[-1][key]) if len(rows) == limit else None


def _json(document: dict[str, Any]) -> Response:
    return Response(encode(document), media_type="application/json")
