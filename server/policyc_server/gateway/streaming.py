"""Answers that come as events: text flows, calls wait until they are complete and decided."""

from __future__ import annotations

import logging

import httpx
from starlette.types import Send

from policyc_server.errors import ApiError
from policyc_server.gateway.asking import unpacked
from policyc_server.gateway.documents import write_answer
from policyc_server.gateway.exchange import (
    Exchange,
    Offer,
    Turn,
    is_stream,
    send_piece,
    send_start,
    unreadable,
)
from policyc_server.gateway.headers import response_headers
from policyc_server.gateway.metering import at_least
from policyc_server.gateway.sse import Event, EventReader, NotAnEvent
from policyc_server.gateway.vendors.shapes import plain
from policyc_server.gateway.vendors.vendor import (
    MOST_CALLS,
    Document,
    Note,
    Step,
    Stream,
    ToolCall,
    Unreadable,
)

_log = logging.getLogger(__name__)


async def relay_stream(
    exchange: Exchange, client_request: Document, offer: Offer, response: httpx.Response, send: Send
) -> None:
    """Answers the client with what comes of ``response``, event by event. ``client_request`` is the request
    as the client knows it. Once it has begun, what goes wrong is said in the stream."""
    stream = exchange.api.stream(client_request, is_metered=exchange.is_metered)
    headers = [*response_headers(response.headers.raw, is_changed=True), *offer.headers]
    await send_start(send, response.status_code, headers)
    relay = _Relay(exchange, stream, send)
    try:
        await relay.run(offer.request, len(offer.body), response)
    except ApiError as error:
        await relay.fail(error)
    except Exception:
        _log.exception("a stream of upstream %s failed", exchange.upstream.name)
        await relay.fail(ApiError(500, "internal_error", "the server failed; its log has the reason"))
    await send_piece(send, b"", is_last=True)


class _Relay:
    """One streamed message to the client, over the answers that make it up."""

    def __init__(self, exchange: Exchange, stream: Stream, send: Send) -> None:
        self._exchange = exchange
        self._stream = stream
        self._send = send
        self._rounds = 0
        self._size = 0
        self._turn = Turn([], [])
        #: Blocked calls of this turn that nothing stands in place of yet, and whether nothing ever will.
        self._waiting: dict[object, Note] = {}
        self._goes_on = False
        self._has_ended = False

    async def run(self, request: Document, asked: int, response: httpx.Response) -> None:
        """Raises ApiError."""
        while True:
            await self._relay(asked, response)
            if not self._goes_on:
                return
            again = await self._asked_again(request)
            if again is None:
                await self._end()
                return
            request, asked, response = again
            self._rounds += 1
            self._turn, self._waiting = Turn([], []), {}
            self._goes_on = self._has_ended = False
            self._stream.restart()

    async def fail(self, error: ApiError) -> None:
        """Says in the stream what went wrong; what is held stays."""
        await send_piece(self._send, self._exchange.api.stream_error(error.code, error.message))

    async def _relay(self, asked: int, response: httpx.Response) -> None:
        """Takes one answer of upstream to its end, and charges for it however it ends."""
        before = self._size
        try:
            await self._events(response)
        except Unreadable as error:
            raise unreadable(error) from None
        except (UnicodeDecodeError, NotAnEvent):
            raise unreadable(Unreadable("it is no stream of events in UTF-8")) from None
        finally:
            await response.aclose()
            answered = self._size - before
            usage = self._stream.usage
            if not (self._stream.is_over and self._has_ended):
                usage = at_least(usage, asked, answered)
            await self._exchange.charge(usage, asked, answered)
        if not self._stream.is_over:
            raise ApiError(502, "upstream_failed", "the LLM API broke off in the middle of its answer")

    async def _events(self, response: httpx.Response) -> None:
        reader = EventReader()
        async for piece in unpacked(response, self._exchange.upstream.answer_limit):
            self._size += len(piece)
            for event in reader.feed(piece):
                await self._event(event)
        for event in reader.close():
            await self._event(event)

    async def _event(self, event: Event) -> None:
        pieces = []
        one = plain(event)
        for step in () if one is None else self._stream.feed(one):
            piece = await self._step(step)
            if not self._goes_on:
                pieces.append(piece)
        if any(pieces):
            await send_piece(self._send, b"".join(pieces))

    async def _step(self, step: Step) -> bytes:
        if isinstance(step, bytes):
            return step
        if isinstance(step, ToolCall):
            return await self._call(step)
        self._has_ended = True
        self._goes_on = bool(self._waiting) and self._can_go_on
        return b"" if self._goes_on else self._settled_waiting() + self._stream.end()

    async def _call(self, call: ToolCall) -> bytes:
        if len(self._turn.passed) + len(self._turn.blocked) == MOST_CALLS:
            raise Unreadable("there are more calls than any model makes")
        judged = await self._exchange.judge.called(call)
        if judged.passes:
            self._turn.passed.append(call)
            before = b"" if call.is_hosted and self._can_go_on else self._settled_waiting()
            return before + self._stream.settle(call.key, judged.rewrite)
        self._turn.blocked.append((call, judged))
        self._waiting[call.key] = Note(judged.text)
        return b"" if self._can_go_on else self._settled_waiting()

    @property
    def _can_go_on(self) -> bool:
        if self._rounds >= self._exchange.upstream.max_rounds:
            return False
        return self._turn.can_go_on(is_single=self._stream.is_single)

    def _settled_waiting(self) -> bytes:
        pieces = [self._stream.settle(key, note) for key, note in self._waiting.items()]
        self._waiting = {}
        return b"".join(pieces)

    async def _asked_again(self, request: Document) -> tuple[Document, int, httpx.Response] | None:
        """The continued request, its size, and the answer to it; None where there is none to go on with."""
        answer = self._stream.answer()
        continued = self._exchange.api.continued(request, answer, self._turn.errors())
        body = write_answer(continued)
        try:
            response = await self._exchange.ask(body)
        except ApiError:
            return None
        if response.is_success and is_stream(response.headers):
            return continued, len(body), response
        await response.aclose()
        return None

    async def _end(self) -> None:
        """Ends the message with what was blocked, since the model could not be asked again."""
        await send_piece(self._send, self._settled_waiting() + self._stream.end())
