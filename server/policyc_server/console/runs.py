"""Runs: which there were, and one over time."""

from __future__ import annotations

from starlette.responses import Response
from starlette.routing import Route

from policyc_server.console.charts import shares, timeline
from policyc_server.console.door import Door, Visit
from policyc_server.console.event_rows import event_row
from policyc_server.console.site import Site
from policyc_server.errors import ApiError
from policyc_server.events.query import read_number
from policyc_server.store.events import Filter
from policyc_server.store.reading import reading

_PAGE = 50
_EVENTS = 200
_SHARE = 120.0


class RunPages:
    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, door: Door) -> list[Route]:
        return [
            door.route("/console/runs", self.list),
            door.route("/console/runs/{run:path}", self.show),
        ]

    async def list(self, visit: Visit) -> Response:
        before = read_number(visit.request.query_params, "before")
        rows = await reading(self._site.kept.store.events.runs, limit=_PAGE, before=before)
        return await self._site.show(
            "runs.html",
            visit.visitor,
            runs=[{**row, "shares": shares(row, _SHARE)} for row in rows],
            older=rows[-1]["last_at"] if len(rows) == _PAGE else None,
            is_first=before is None,
        )

    async def show(self, visit: Visit) -> Response:
        """A run's counts, and its events as a strip and as a list, newest first."""
        store, name = self._site.kept.store.events, visit.request.path_params["run"]
        run = await reading(store.run, name)
        if run is None:
            raise ApiError(
                404, "not_found", f"there is no run {name[:60]!r}; it may have been deleted by age"
            )
        before = read_number(visit.request.query_params, "before")
        events = await reading(store.page, Filter(run=name), limit=_EVENTS, before=before)
        times = [event["at"] for event in events] or [run["first_at"]]
        return await self._site.show(
            "run.html",
            visit.visitor,
            run=run,
            rows=[event_row(event) for event in events],
            marks=timeline(events, min(times), max(times)),
            first=min(times),
            last=max(times),
            older=events[-1]["seq"] if len(events) == _EVENTS else None,
            is_first=before is None,
        )
