"""The console of one server: every page, and the files that pages load."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from policyc_server.approvals.desk import Desk
from policyc_server.auth.keyring import Keyring
from policyc_server.auth.sessions import Sessions
from policyc_server.console.approvals import ApprovalPages
from policyc_server.console.door import HOME, Door, Visit
from policyc_server.console.events import EventPages
from policyc_server.console.overview import OverviewPage
from policyc_server.console.playground import PlaygroundPage
from policyc_server.console.policies import PoliciesPage
from policyc_server.console.rendering import HEADERS, static_files
from policyc_server.console.runs import RunPages
from policyc_server.console.site import Site
from policyc_server.console.status import StatusPage
from policyc_server.errors import not_found
from policyc_server.events.kept import Kept
from policyc_server.operations import Operations
from policyc_server.settings import Settings
from policyc_server.snapshot import Serving

_SECRET = "console"
_LONG = "public, max-age=31536000, immutable"


class Console:
    """Pages over the store; there is no console without one."""

    def __init__(
        self,
        settings: Settings,
        serving: Serving,
        operations: Operations,
        kept: Kept,
        keyring: Keyring,
        desk: Desk,
    ) -> None:
        site = Site(settings, serving, kept)
        secret = kept.store.secret(_SECRET)
        self._door = Door(site, Sessions(kept.store.sessions, keyring, secret, settings.console_proxy))
        self._pages = (
            OverviewPage(site),
            EventPages(site),
            RunPages(site),
            ApprovalPages(site, desk),
            PoliciesPage(site, operations),
            PlaygroundPage(site),
            StatusPage(site, operations),
        )
        self._static = static_files()

    def routes(self) -> list[Route]:
        """All below ``/console``: pages for people, which the description of the API does not list."""
        return [
            Route(f"{HOME}/static/{{name}}", self._file),
            *self._door.routes(),
            *(route for page in self._pages for route in page.routes(self._door)),
            Route(f"{HOME}/", self._home),
            self._door.route(f"{HOME}/{{rest:path}}", self._unknown),
        ]

    async def _file(self, request: Request) -> Response:
        found = self._static.get(request.path_params["name"])
        if found is None:
            raise not_found(request.url.path)
        content, media_type = found
        return Response(content, media_type=media_type, headers={**HEADERS, "cache-control": _LONG})

    async def _home(self, _request: Request) -> Response:
        return RedirectResponse(HOME, 303)

    async def _unknown(self, visit: Visit) -> Response:
        raise not_found(visit.request.url.path)
