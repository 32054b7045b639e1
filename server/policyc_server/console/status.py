"""Status: what ``/v1/status`` says, and the switch that denies every call."""

from __future__ import annotations

from typing import Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from policyc_server.console.door import Door, Visit
from policyc_server.console.site import Site
from policyc_server.errors import ApiError
from policyc_server.lockdown import LONGEST_WHY
from policyc_server.operations import Operations

_PATH = "/console/status"


class StatusPage:
    def __init__(self, site: Site, operations: Operations) -> None:
        self._site = site
        self._operations = operations

    def routes(self, door: Door) -> list[Route]:
        return [
            door.route(_PATH, self.show),
            door.route("/console/lockdown", self.turn, "POST"),
        ]

    async def turn(self, visit: Visit) -> Response:
        """``on`` is yes or no. Raises ApiError."""
        if not visit.visitor.is_admin:
            raise ApiError(403, "forbidden", "the lockdown is an admin's to turn")
        is_on, why = visit.form.get("on") == "yes", visit.form.get("why", "").strip()
        if "confirmed" not in visit.form or (is_on and not why) or len(why) > LONGEST_WHY:
            wanted = f"Say why in at most {LONGEST_WHY} characters, and tick the box: nothing was turned."
            raise ApiError(422, "invalid_lockdown", wanted)
        await self._site.kept.lockdown.turn(is_on, why or None, visit.visitor.identity)
        return RedirectResponse(_PATH, 303)

    async def show(self, visit: Visit) -> Response:
        document = self._operations.status_document()
        plain = {name: value for name, value in document.items() if not isinstance(value, dict | list)}
        groups = {name: value for name, value in document.items() if isinstance(value, dict)}
        # One of `workers` is "worker 1".
        each = {
            f"{name.removesuffix('s')} {number}": value
            for name, values in document.items()
            if isinstance(values, list)
            for number, value in enumerate(values, 1)
        }
        sections = {"server": plain, **groups, **each}
        return await self._site.show(
            "status.html",
            visit.visitor,
            sections={name: list(_lines(it)) for name, it in sections.items()},
            longest_why=LONGEST_WHY,
        )


def _lines(group: dict[str, Any], prefix: str = "") -> Any:
    """Names and values, those of an inner object under its name."""
    for name, value in group.items():
        if isinstance(value, dict):
            yield from _lines(value, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}".replace("_", " "), value
