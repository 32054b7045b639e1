"""The door of the console: who comes in, what forms must carry, and the headers that every answer has."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from policyc_server.auth.attempts import Attempts
from policyc_server.auth.sessions import Sessions, Visitor, is_token
from policyc_server.bodies import read_body
from policyc_server.console.rendering import HEADERS
from policyc_server.console.site import Site
from policyc_server.errors import ApiError

_log = logging.getLogger(__name__)

HOME = "/console"
LOGIN = "/console/login"


@dataclass(frozen=True)
class Visit:
    """A request, who sent it, whether that one is still let in, and the fields of the form."""

    request: Request
    visitor: Visitor
    is_welcome: Callable[[], Awaitable[bool]]
    form: dict[str, str] = field(default_factory=dict)


Handler = Callable[[Visit], Awaitable[Response]]


class Door:
    """Wraps the handlers of pages, and logs people in and out."""

    def __init__(self, site: Site, sessions: Sessions) -> None:
        self._site = site
        self._sessions = sessions
        self._attempts = Attempts()

    def routes(self) -> list[Route]:
        return [
            Route(LOGIN, self._answering(self._login_form)),
            Route(LOGIN, self._answering(self._login), methods=["POST"]),
            self.route("/console/logout", self._logout, "POST"),
        ]

    def route(self, path: str, handler: Handler, method: str = "GET") -> Route:
        """A page for those who may see it."""

        async def endpoint(request: Request) -> Response:
            visitor = await self._sessions.visitor(request)
            if visitor is None:
                return self._to_login(request)
            form = {}
            if method == "POST":
                form = await self._form(request)
                if not is_token(form.get("csrf"), visitor.csrf):
                    raise ApiError(403, "form_expired", "this form is not of your session: load it again")

            async def is_welcome() -> bool:
                return await self._sessions.visitor(request) is not None

            return await handler(Visit(request, visitor, is_welcome, form))

        return Route(path, self._answering(endpoint), methods=[method])

    def _answering(self, endpoint: Callable[[Request], Awaitable[Response]]) -> Any:
        """``endpoint`` with errors as pages, and the headers of the console."""

        async def answer(request: Request) -> Response:
            try:
                response = await endpoint(request)
            except ApiError as error:
                response = self._site.error(error)
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return answer

    def _to_login(self, request: Request) -> Response:
        if request.headers.get("sec-fetch-site") == "cross-site":
            # A link from elsewhere comes without the strict cookie; from a page of ours it comes with it.
            return self._site.page("continue.html", to=_address(request))
        return RedirectResponse(f"{LOGIN}?next={quote(_address(request), safe='')}", 303)

    async def _login_form(self, request: Request) -> Response:
        return self._login_page(request, _inside(request.query_params.get("next")))

    async def _login(self, request: Request) -> Response:
        form = await self._form(request)
        to = _inside(form.get("next"))
        if not is_token(form.get("csrf"), self._sessions.guest_token(self._sessions.guest(request))):
            return self._login_page(request, to, 403, "This form had expired. Try again.")
        address = self._site.proxies.client(request.scope)
        wait = self._attempts.wait(address, time.monotonic())
        if wait > 0:
            response = self._login_page(request, to, 429, f"Too many attempts: wait {int(wait) + 1} s.")
            response.headers["retry-after"] = str(int(wait) + 1)
            return response
        secret = form.get("key", "").strip()
        identity = self._sessions.admit(secret)
        if identity is None:
            self._attempts.failed(address, time.monotonic())
            _log.warning("a login at the console failed, from %s", address)
            return self._login_page(request, to, 403, "No reviewer's or admin's key.")
        response = RedirectResponse(to, 303)
        await self._sessions.open(secret, response, is_secure=self._site.proxies.is_https(request.scope))
        _log.info("%s logged in at the console, from %s", identity.key, address)
        return response

    def _login_page(
        self, request: Request, to: str, status: int = 200, problem: str | None = None
    ) -> Response:
        guest = self._sessions.guest(request)
        token = self._sessions.guest_token(guest)
        response = self._site.page("login.html", status, to=to, csrf=token, problem=problem)
        self._sessions.mark_guest(response, guest, is_secure=self._site.proxies.is_https(request.scope))
        return response

    async def _logout(self, visit: Visit) -> Response:
        response = RedirectResponse(LOGIN, 303)
        await self._sessions.close(visit.request, response)
        return response

    async def _form(self, request: Request) -> dict[str, str]:
        settings = self._site.settings
        body = await read_body(
            request.scope, request.receive, limit=settings.body_limit, deadline=settings.deadline
        )
        try:
            return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=50))
        except ValueError:
            raise ApiError(400, "invalid_form", "the body is not a form") from None


def _address(request: Request) -> str:
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")


def _inside(to: str | None) -> str:
    """``to`` where it is a page of the console, else its first page."""
    is_ours = to is not None and (to == HOME or to.startswith((f"{HOME}/", f"{HOME}?")))
    return to if is_ours and to is not None and to.isascii() and "\\" not in to else HOME
