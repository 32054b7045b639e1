"""`/mcp/{server}` as plain ASGI."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from policyc_server.auth.identity import identity_of
from policyc_server.bodies import read_body
from policyc_server.errors import not_found, wrong_method
from policyc_server.mcp.firewall import Firewall
from policyc_server.mcp.http.exchange import Exchange
from policyc_server.mcp.http.sessions import Sessions
from policyc_server.mcp.http.upstream import Upstream
from policyc_server.settings import Settings

_METHODS = ("POST", "GET", "DELETE")


class McpEndpoint:
    """The servers in ``settings``. ``is_closing`` ends streams that would keep this server from stopping."""

    def __init__(self, settings: Settings, firewall: Firewall, sessions: Sessions) -> None:
        self._settings = settings
        self._firewall = firewall
        self._sessions = sessions
        self._upstreams: dict[str, Upstream] = {}
        self.is_closing = False

    def routes(self) -> list[Route]:
        return [Route("/mcp/{server}", self)]

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Connections upstream, for as long as the app runs."""
        self._upstreams = {server.name: Upstream(server) for server in self._settings.mcp_servers}
        try:
            yield
        finally:
            for upstream in self._upstreams.values():
                await upstream.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        upstream = self._upstreams.get(scope["path_params"]["server"])
        if upstream is None:
            raise not_found(scope["path"])
        if scope["method"] not in _METHODS:
            raise wrong_method(", ".join(_METHODS))
        body = None
        if scope["method"] == "POST":
            limit, deadline = upstream.settings.request_limit, self._settings.deadline
            body = await read_body(scope, receive, limit=limit, deadline=deadline)
        exchange = Exchange(
            upstream, self._firewall, self._sessions, identity_of(scope), scope, send, lambda: self.is_closing
        )
        async with anyio.create_task_group() as group:
            # A client that leaves ends the request upstream too, which is how calls are cancelled there.
            group.start_soon(_watch, receive, group.cancel_scope)
            await exchange.run(body)
            group.cancel_scope.cancel()


async def _watch(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
