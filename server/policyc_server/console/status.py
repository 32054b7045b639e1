"""Status: what ``/v1/status`` says."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from policyc_server.console.door import Door, Visit
from policyc_server.console.site import Site
from policyc_server.operations import Operations


class StatusPage:
    def __init__(self, site: Site, operations: Operations) -> None:
        self._site = site
        self._operations = operations

    def routes(self, door: Door) -> list[Route]:
        return [door.route("/console/status", self.show)]

    async def show(self, visit: Visit) -> Response:
        document = self._operations.status_document()
        plain = {name: value for name, value in document.items() if not isinstance(value, dict)}
        groups = {name: value for name, value in document.items() if isinstance(value, dict)}
        sections = {"server": plain, **groups}
        return await self._site.show(
            "status.html", visit.visitor, sections={name: list(_lines(it)) for name, it in sections.items()}
        )


def _lines(group: dict[str, Any], prefix: str = "") -> Any:
    """Names and values, those of an inner object under its name."""
    for name, value in group.items():
        if isinstance(value, dict):
            yield from _lines(value, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}".replace("_", " "), value
