"""Policies as they are served. They change in git, not here."""

from __future__ import annotations

from starlette.responses import Response
from starlette.routing import Route

from policyc_server.console.door import Door, Visit
from policyc_server.console.site import Site
from policyc_server.operations import Operations


class PoliciesPage:
    def __init__(self, site: Site, operations: Operations) -> None:
        self._site = site
        self._operations = operations

    def routes(self, door: Door) -> list[Route]:
        return [door.route("/console/policies", self.show)]

    async def show(self, visit: Visit) -> Response:
        document = await self._operations.policies_document()
        return await self._site.show("policies.html", visit.visitor, served=document)
