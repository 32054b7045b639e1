"""One request of a client and its answer: both as they came, but for calls and for lists of tools."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import httpx
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST
from starlette.types import Scope, Send

from policyc.engine.model import Call
from policyc_server.answers import send_json
from policyc_server.auth.identity import Identity
from policyc_server.gateway.sse import NotAnEvent
from policyc_server.mcp.caller import Caller
from policyc_server.mcp.firewall import Firewall
from policyc_server.mcp.http.answers import (
    ANSWERS,
    LISTS,
    AnswerTooLarge,
    copied,
    filtered_events,
    filtered_list,
    whole,
)
from policyc_server.mcp.http.headers import SESSION, downward, of_arguments, repeat_arguments, settle, upward
from policyc_server.mcp.http.sessions import Sessions
from policyc_server.mcp.http.upstream import Upstream, UpstreamFault
from policyc_server.mcp.messages import (
    CALL,
    Message,
    Refused,
    error_message,
    failure,
    read_message,
    written,
)

_log = logging.getLogger(__name__)

_LIST = "tools/list"
_STREAM = "text/event-stream"
#: Seconds between looks at whether this server stops.
_LOOK = 0.5
_BROKEN = (httpx.HTTPError, AnswerTooLarge, NotAnEvent, UnicodeDecodeError)


class Exchange:
    """What is about one request alone. ``is_closing`` says that this server stops."""

    def __init__(
        self,
        upstream: Upstream,
        firewall: Firewall,
        sessions: Sessions,
        identity: Identity | None,
        scope: Scope,
        send: Send,
        is_closing: Callable[[], bool],
    ) -> None:
        self._upstream = upstream
        self._server = upstream.settings.name
        self._firewall = firewall
        self._sessions = sessions
        self._identity = identity
        self._key = None if identity is None else identity.key
        self._scope = scope
        self._send = send
        self._is_closing = is_closing
        self._call: Call | None = None

    async def run(self, body: bytes | None) -> None:
        """Answers the request; ``body`` is None of one without a message."""
        try:
            headers = upward(self._scope["headers"])
            session = self._own_session(headers)
            if session is None and SESSION in headers:
                await self._fail(404, None, INVALID_REQUEST, "there is no such session of this key")
                return
            run = None if session is None else self._sessions.run(self._server, self._key, session)
            caller = Caller(identity=self._identity, session=run)
            if session is not None:
                headers[SESSION] = session
            message = None if body is None else await self._judged(body, headers, caller)
        except Refused as error:
            await self._say(400, written(error_message(error)))
            return
        if body is None or message is not None:
            await self._forward(message, headers, caller)

    def _own_session(self, headers: dict[str, str]) -> str | None:
        given = headers.get(SESSION)
        return None if given is None else self._sessions.inward(self._server, self._key, given)

    async def _judged(self, body: bytes, headers: dict[str, str], caller: Caller) -> Message | None:
        """What goes upstream; None where the client has its answer. Raises Refused."""
        message = read_message(body)
        settle(message, headers)
        judged = await self._firewall.judge.judged(message, self._server, caller)
        self._call = judged.call
        if judged.answer is not None:
            await self._say(200, judged.answer)
        elif message.method == CALL and repeat_arguments(self._scope["headers"]):
            assert judged.forward is not None
            params: dict[str, Any] = judged.forward.document["params"]
            tool = await self._firewall.pins.definition(self._server, params["name"])
            headers |= of_arguments(tool, params.get("arguments") or {})
        return judged.forward

    async def _forward(self, message: Message | None, headers: dict[str, str], caller: Caller) -> None:
        request = None if message is None or not message.is_request else message.id
        content = None if message is None else message.text.encode()
        try:
            async with self._upstream.asked(self._scope["method"], headers, content) as response:
                if response.is_redirect or response.status_code in (401, 403):
                    said = f"answers with HTTP {response.status_code}"
                    raise UpstreamFault(f"{said}: its entry in the settings file is wrong")
                await self._pass_on(response, message, request, caller)
        except UpstreamFault as error:
            _log.error("the MCP server %s %s", self._server, error)
            await self._fail(502, request, INTERNAL_ERROR, f"the MCP server {self._server!r} {error}")

    async def _pass_on(
        self, response: httpx.Response, message: Message | None, request: object, caller: Caller
    ) -> None:
        limit = self._upstream.settings.list_limit
        filtered = partial(self._filtered, caller)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        pieces = response.aiter_bytes()
        if kind == _STREAM:
            sought = LISTS if self._call is None else ANSWERS
            pieces = filtered_events(pieces, filtered, limit, request, sought)
            if message is None:
                pieces = self._while_open(pieces)
        elif message is not None and message.method == _LIST and response.is_success:
            try:
                body = await filtered_list(await whole(pieces, limit), filtered)
            except (Refused, *_BROKEN) as error:
                raise UpstreamFault(f"sent a list of tools that cannot be used: {error}") from None
            await send_json(self._send, response.status_code, body)
            return
        elif self._call is not None:
            pieces = copied(pieces, limit, self._note)
        await self._stream(response, pieces)

    async def _stream(self, response: httpx.Response, pieces: AsyncIterator[bytes]) -> None:
        headers = downward(response.headers)
        if SESSION in response.headers:
            own = self._sessions.outward(self._server, self._key, response.headers[SESSION])
            headers.append((SESSION.encode(), own.encode("latin-1")))
        start = {"type": "http.response.start", "status": response.status_code, "headers": headers}
        await self._send(start)
        try:
            async for piece in pieces:
                await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        except _BROKEN as error:
            # The connection is closed on what is not complete, so that nobody takes it for all there was.
            _log.warning("the answer of the MCP server %s broke off: %s", self._server, error)
            return
        await self._send({"type": "http.response.body", "body": b""})

    async def _while_open(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """A stream without an end of its own, until this server stops."""
        following = asyncio.ensure_future(anext(pieces, None))
        try:
            while not self._is_closing():
                done, _ = await asyncio.wait({following}, timeout=_LOOK)
                if done:
                    if (piece := following.result()) is None:
                        return
                    yield piece
                    following = asyncio.ensure_future(anext(pieces, None))
        finally:
            following.cancel()

    def _note(self, body: bytes) -> None:
        """Keeps how the call ended, where ``body`` says so."""
        with suppress(Refused):
            self._ended(read_message(body))

    def _ended(self, message: Message) -> None:
        if self._call is not None and message.method is None:
            self._firewall.judge.ended(self._call, message, self._identity)

    async def _filtered(self, caller: Caller, message: Message) -> Message:
        self._ended(message)
        return await self._firewall.listing.filtered(message, self._server, caller)

    async def _fail(self, status: int, request: object, code: int, said: str) -> None:
        await self._say(status, written(failure(request, code, said)))

    async def _say(self, status: int, message: Message) -> None:
        await send_json(self._send, status, message.text.encode())
