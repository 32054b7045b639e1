"""What every request passes before its route: nothing unhandled goes out, and nobody unknown comes in."""

from __future__ import annotations

import logging
import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from policyc.engine.addresses import parse_address, parse_network
from policyc_server import hook_events
from policyc_server.answers import encode, send_json
from policyc_server.errors import ApiError, ClientGone, error_document
from policyc_server.gateway.entrance import Entrance
from policyc_server.metrics import RequestMetrics

_log = logging.getLogger(__name__)

_LOOPBACK = (parse_network("127.0.0.0/8"), parse_network("::1"))


class ErrorBoundary:
    """Turns every error into an answer in the form that its route promises. The outermost layer."""

    def __init__(self, app: ASGIApp, metrics: RequestMetrics, entrance: Entrance) -> None:
        self._app = app
        self._metrics = metrics
        self._entrance = entrance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_started = False

        async def watched_send(message: Message) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        try:
            await self._app(scope, receive, watched_send)
        except ClientGone:
            self._metrics.refused["client_gone"] += 1
        except Exception as error:
            if not isinstance(error, ApiError):
                _log.exception("unhandled error on %s", scope["path"])
                error = ApiError(500, "internal_error", "the server failed; its log has the reason")
            self._metrics.refused[error.code] += 1
            if not is_started:
                await self._refuse(scope, send, error)

    async def _refuse(self, scope: Scope, send: Send, error: ApiError) -> None:
        if scope["path"].startswith(hook_events.PREFIX) and scope["method"] == "POST":
            await send_json(send, 200, hook_events.refusal(scope, error))
        else:
            body = self._entrance.error(scope["path"], error) or encode(error_document(error))
            await send_json(send, error.status, body, error.headers)


class LocalRequests:
    """Refuses what a web page may send to a server on its own machine: requests from loopback must name this
    machine. For servers on loopback.

    A page whose name was rebound to 127.0.0.1 comes with its own name as Host; a page that posts across
    origins comes with its own Origin. https://en.wikipedia.org/wiki/DNS_rebinding
    """

    _HOST = re.compile(rb"(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _is_local(scope):
            self._check(scope)
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        hosts = []
        origins = []
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value)
            elif name == b"origin":
                origins.append(value)
        if len(hosts) != 1 or not self._HOST.fullmatch(hosts[0]):
            raise ApiError(403, "host_refused", "this server answers to localhost, 127.0.0.1 and [::1] only")
        own = (b"http://" + hosts[0].lower(), b"https://" + hosts[0].lower())
        if any(origin.lower() not in own for origin in origins):
            raise ApiError(403, "origin_refused", "this server takes no requests from other origins")


def _is_local(scope: Scope) -> bool:
    """Whether the peer is this machine; also where there is no saying who it is."""
    client = scope.get("client")
    if client is None:
        return True
    address = parse_address(client[0])
    return address is None or any(address in network for network in _LOOPBACK)
