"""The gateway as an ASGI app: `/gateway/NAME/...` is the API of the upstream of that name."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import httpx
from starlette.types import Receive, Scope, Send

from policyc.engine.model import Call
from policyc_server.approvals.holds import Holds
from policyc_server.auth.identity import Identity, identity_of
from policyc_server.bodies import read_body, read_json
from policyc_server.decide import Decider
from policyc_server.errors import ApiError, ClientGone
from policyc_server.gateway.asking import Asking, failed, unpacked
from policyc_server.gateway.entrance import Entrance
from policyc_server.gateway.exchange import Exchange, Target, is_stream, offered, send_piece, send_start
from policyc_server.gateway.headers import AGENT, RUN, SESSION, request_headers, response_headers, text
from policyc_server.gateway.judging import Caller, Judge
from policyc_server.gateway.metering import Meter
from policyc_server.gateway.paths import Below, below, query_without
from policyc_server.gateway.streaming import relay_stream
from policyc_server.gateway.vendors.vendor import Api, Closed, Unreadable, Vendor
from policyc_server.gateway.whole import relay_whole
from policyc_server.settings import Settings
from policyc_server.settings_file.upstream import Upstream

#: What a call without a tool stands for: the model itself.
_MODEL = "model"


class Gateway:
    """Everything below `/gateway/`, each request for the upstream that its path names."""

    def __init__(
        self, settings: Settings, entrance: Entrance, decider: Decider, holds: Holds | None, meter: Meter
    ) -> None:
        self._settings = settings
        self._entrance = entrance
        self._decider = decider
        self._holds = holds
        self._meter = meter
        self._asking = {upstream.name: Asking(upstream) for upstream in settings.upstreams}

    async def close(self) -> None:
        for asking in self._asking.values():
            await asking.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._entrance.upstream(scope["path"])
        if found is None:
            raise ApiError(
                404, "not_found", "there is no upstream of that name: /gateway/NAME/... is one's API"
            )
        upstream, vendor = found
        place = below(scope, upstream.name)
        route = vendor.route(scope["method"], place.segments)
        if isinstance(route, Closed):
            raise ApiError(403, "route_closed", f"this route is closed at the gateway: {route.why}")
        if route is None:
            await self._pass_through(scope, receive, send, upstream, vendor, place)
        else:
            await self._inspect(scope, receive, send, upstream, vendor, route, place)

    def _target(
        self, scope: Scope, upstream: Upstream, vendor: Vendor, place: Below, *, is_inspected: bool
    ) -> Target:
        query: bytes = scope.get("query_string", b"")
        if not upstream.passthrough_auth:
            query = query_without(query, vendor.credential_parameters)
        secret = self._asking[upstream.name].secret
        headers = request_headers(scope["headers"], upstream, vendor, secret, is_inspected=is_inspected)
        return Target(scope["method"], place.tail + (b"?" + query if query else b""), headers)

    async def _pass_through(
        self, scope: Scope, receive: Receive, send: Send, upstream: Upstream, vendor: Vendor, place: Below
    ) -> None:
        target = self._target(scope, upstream, vendor, place, is_inspected=False)
        asking = self._asking[upstream.name]
        if _has_body(scope):
            # What arrives is also how one hears that the client left.
            response = await asking.send(target.method, target.path, target.headers, _arriving(receive))
            await _while_connected(receive, _relayed(response, send))
        else:
            await _while_connected(receive, _asked(asking, target, send))

    async def _inspect(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        upstream: Upstream,
        vendor: Vendor,
        api: Api,
        place: Below,
    ) -> None:
        if text(scope["headers"], b"content-encoding") not in (None, "identity"):
            raise ApiError(
                415, "body_packed", "send the request without a content coding, so that it can be read"
            )
        body = await read_body(scope, receive, limit=upstream.request_limit, deadline=upstream.read_timeout)
        request = read_json(body)
        if not isinstance(request, dict):
            raise ApiError(400, "request_unreadable", "the request is not a JSON object")
        caller = _caller(scope, identity_of(scope))
        exchange = Exchange(
            upstream=upstream,
            api=api,
            asking=self._asking[upstream.name],
            judge=Judge(self._decider, self._holds, caller),
            meter=self._meter,
            target=self._target(scope, upstream, vendor, place, is_inspected=True),
            call=caller.sign(Call(_MODEL)),
            model=api.model(request, place.segments),
        )
        await _while_connected(receive, _exchanged(exchange, request, body, send))


async def _exchanged(exchange: Exchange, request: dict[str, Any], body: bytes, send: Send) -> None:
    try:
        offer = await offered(exchange, request, body)
    except Unreadable as error:
        raise ApiError(400, "request_unreadable", f"the request cannot be inspected: {error}") from None
    response = await exchange.ask(offer.body)
    try:
        if 300 <= response.status_code < 400:
            # The client would follow it, with its key, past the gateway.
            raise ApiError(502, "upstream_unreadable", "the LLM API answered with a redirect")
        if not response.is_success:
            await _refused(exchange, response, send)
        elif is_stream(response.headers):
            await relay_stream(exchange, request, offer, response, send)
        else:
            await relay_whole(exchange, offer, response, send)
    finally:
        await response.aclose()


async def _refused(exchange: Exchange, response: httpx.Response, send: Send) -> None:
    """Passes on an answer that is no model's: an error of upstream."""
    limit = exchange.upstream.answer_limit
    body = b"".join([piece async for piece in unpacked(response, limit)])
    headers = response_headers(response.headers.raw, is_changed=True)
    await send_start(send, response.status_code, [*headers, (b"content-length", b"%d" % len(body))])
    await send_piece(send, body, is_last=True)


async def _asked(asking: Asking, target: Target, send: Send) -> None:
    await _relayed(await asking.send(target.method, target.path, target.headers, b""), send)


async def _relayed(response: httpx.Response, send: Send) -> None:
    """Passes on an answer as it comes, packed or not."""
    try:
        headers = response_headers(response.headers.raw, is_changed=False)
        await send_start(send, response.status_code, headers)
        async for piece in response.aiter_raw():
            await send_piece(send, piece)
        await send_piece(send, b"", is_last=True)
    except httpx.HTTPError as error:
        raise failed(error) from None
    finally:
        await response.aclose()


def _caller(scope: Scope, identity: Identity | None) -> Caller:
    headers = scope["headers"]
    agent = text(headers, AGENT) or (None if identity is None else identity.agent)
    return Caller(identity, agent, text(headers, RUN), text(headers, SESSION))


def _has_body(scope: Scope) -> bool:
    return any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"])


async def _arriving(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


async def _while_connected(receive: Receive, work: Coroutine[Any, Any, None]) -> None:
    """Does `work`, or stops it where the client leaves. Raises what it raises, and ClientGone."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone
        working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
