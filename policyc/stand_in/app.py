"""The stand-in as an ASGI app: records each request, and answers what its model says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, MutableSequence
from types import ModuleType

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from policyc.stand_in.apis import api_of
from policyc.stand_in.frames import Steps
from policyc.stand_in.received import Received
from policyc.stand_in.script import Cut, Model, Pause, Turn

#: Seconds.
_LONGEST_PAUSE = 60.0


class _CutOff(Exception):
    """Ends the connection in the middle of a body."""


class StandIn:
    """An app whose ``model`` may be replaced between requests; ``received`` are all requests so far."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.received: MutableSequence[Received] = []
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            received = self._record(request, await request.body())
        except ClientDisconnect:
            return
        try:
            await self._answer(received)(scope, receive, send)
        finally:
            received.ended.set()

    def _record(self, request: Request, body: bytes) -> Received:
        url = request.url
        with self._lock:
            number = len(self.received) + 1
            received = Received(number, request.method, url.path, url.query, dict(request.headers), body)
            self.received.append(received)
        return received

    def _answer(self, received: Received) -> Response:
        api = api_of(received.path)
        if api is None:
            return Response(b'{"path":"' + received.path.encode() + b'"}', media_type="application/json")
        turn = self.model(received)
        if turn.status != 200:
            body = api.error(turn.status, turn.error)
            return Response(body, turn.status, turn.headers, media_type="application/json")
        return self._success(api, turn, received)

    def _success(self, api: ModuleType, turn: Turn, received: Received) -> Response:
        if not received.is_streaming:
            return Response(api.whole(turn, received), 200, turn.headers, media_type="application/json")
        is_array = received.path.endswith(":streamGenerateContent") and "alt=sse" not in received.query
        kind = "application/json" if is_array else "text/event-stream; charset=utf-8"
        body = _written(api.stream(turn, received), received)
        return StreamingResponse(body, 200, turn.headers, media_type=kind)


async def _written(steps: Steps, received: Received) -> AsyncIterator[bytes]:
    """The bytes of the steps, waiting at each pause."""
    received.was_left = True
    for step in steps:
        if isinstance(step, Pause):
            if not await asyncio.to_thread(step.until.wait, _LONGEST_PAUSE):
                raise _CutOff
        elif isinstance(step, Cut):
            received.was_left = False
            raise _CutOff
        else:
            yield step
    received.was_left = False
