"""The first page: how it goes right now."""

from __future__ import annotations

from starlette.responses import Response
from starlette.routing import Route

from policyc_server.clock import microseconds
from policyc_server.console.charts import MINUTE, per_minute
from policyc_server.console.door import HOME, Door, Visit
from policyc_server.console.site import Site
from policyc_server.store.reading import reading

_MINUTES = 60
_TOP = 8


class OverviewPage:
    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, door: Door) -> list[Route]:
        return [door.route(HOME, self.show)]

    async def show(self, visit: Visit) -> Response:
        store = self._site.kept.store
        at = microseconds()
        rows = await reading(store.events.minutes, at - _MINUTES * MINUTE)
        hits = await reading(store.events.hits_by_rule)
        waiting = await reading(store.approvals.newest, at, states=("pending",), limit=5)
        top = sorted(hits.items(), key=lambda item: -item[1][0])[:_TOP]
        return await self._site.show(
            "overview.html",
            visit.visitor,
            chart=per_minute(rows, at, _MINUTES),
            top=[
                {"policy": policy, "rule": rule, "count": count, "last_at": last_at}
                for (policy, rule), (count, last_at) in top
            ],
            most=top[0][1][0] if top else 1,
            waiting=waiting,
            age=self._site.serving.age,
            failure=self._site.serving.failure,
        )
