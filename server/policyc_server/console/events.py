"""Events: a list with filters, each by itself, and as they happen."""

from __future__ import annotations

import json
from typing import Any

from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.routing import Route

from policyc.engine.model import VERDICTS
from policyc_server.console.door import Door, Visit
from policyc_server.console.event_rows import event_row
from policyc_server.console.site import Site
from policyc_server.errors import ApiError
from policyc_server.events.query import read_filter, read_number
from policyc_server.store.reading import reading

_PAGE = 50
#: Filters as the form names them; ``verdict`` is a row of boxes.
_FIELDS = ("tool", "agent", "rule", "policy", "run", "surface", "revision", "since", "until", "text")


class EventPages:
    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, door: Door) -> list[Route]:
        return [
            door.route("/console/events", self.list),
            door.route("/console/events/stream", self.stream),
            door.route("/console/events/{event}", self.show),
        ]

    async def list(self, visit: Visit) -> Response:
        query = visit.request.query_params
        problem, rows, newest = None, [], 0
        try:
            before = read_number(query, "before")
            found = read_filter(query)
        except ApiError as error:
            problem, before = error.message, None
        else:
            store = self._site.kept.store.events
            # Before the page: the live tail goes on from there, and skips what the page has.
            newest = await reading(store.last_seq)
            rows = await reading(store.page, found, limit=_PAGE, before=before)
        return await self._site.show(
            "events.html",
            visit.visitor,
            422 if problem else 200,
            rows=[event_row(row) for row in rows],
            older=str(rows[-1]["seq"]) if len(rows) == _PAGE else None,
            is_first=before is None,
            newest=newest,
            problem=problem,
            given=given(query),
            fields={name: query.get(name, "") for name in _FIELDS},
            verdicts={verdict: verdict in query.getlist("verdict") for verdict in VERDICTS},
        )

    async def stream(self, visit: Visit) -> Response:
        return await self._site.kept.events.tail(visit.request, event_row, visit.is_welcome)

    async def show(self, visit: Visit) -> Response:
        event = await find_event(self._site, visit.request.path_params["event"])
        return await self._site.show(
            "event.html", visit.visitor, event=event, arguments=json.loads(event["args"])
        )


def given(query: QueryParams) -> list[tuple[str, str]]:
    """The filters that are set, for links to other pages of the same list."""
    return [(name, value) for name, value in query.multi_items() if value and name != "before"]


async def find_event(site: Site, name: str) -> dict[str, Any]:
    """Raises ApiError 404."""
    event: dict[str, Any] | None = await reading(site.kept.store.events.get, name)
    if event is None:
        raise ApiError(404, "not_found", f"there is no event {name[:60]!r}; it may have been deleted by age")
    return event
