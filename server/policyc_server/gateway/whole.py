"""Answers that come whole: judged, and where all calls are blocked the model is asked again."""

from __future__ import annotations

import httpx
from starlette.types import Send

from policyc_server.errors import ApiError
from policyc_server.gateway.asking import unpacked
from policyc_server.gateway.documents import check_rest, read_answer, write_answer
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
from policyc_server.gateway.vendors.vendor import MOST_CALLS, Answer, Document, Edit, Unreadable

ROUNDS = b"x-policyc-rounds"


async def relay_whole(exchange: Exchange, offer: Offer, response: httpx.Response, send: Send) -> None:
    """Answers the client with what comes of ``response``. Raises ApiError 502 and 504."""
    request, asked, rounds = offer.request, len(offer.body), 0
    while True:
        body = bytearray()
        usage = None
        try:
            await _take(response, exchange.upstream.answer_limit, body)
            document, answer = _read(exchange, bytes(body))
            usage = answer.usage
        finally:
            # Also for what broke off, cannot be read, or has nobody any more who waits for it.
            await exchange.charge(usage, asked, len(body))
        turn, edits = await _judged(exchange, answer)
        again = None
        if turn.blocked and rounds < exchange.upstream.max_rounds:
            again = await _asked_again(exchange, request, document, answer, turn)
        if again is None:
            break
        rounds += 1
        request, asked, response = again
    edits |= turn.notes()
    sent = write_answer(exchange.api.edited(document, edits)) if edits else bytes(body)
    await _send(offer, response, sent, rounds, send)


def _read(exchange: Exchange, body: bytes) -> tuple[Document, Answer]:
    try:
        document = read_answer(body)
        answer = exchange.api.read(document)
        if len(answer.calls) > MOST_CALLS:
            raise Unreadable("there are more calls than any model makes")
        check_rest(document, answer.calls)
    except Unreadable as error:
        raise unreadable(error) from None
    return document, answer


async def _judged(exchange: Exchange, answer: Answer) -> tuple[Turn, dict[object, Edit]]:
    turn = Turn([], [])
    edits: dict[object, Edit] = {}
    for call in answer.calls:
        judged = await exchange.judge.called(call)
        if not judged.passes:
            turn.blocked.append((call, judged))
            continue
        turn.passed.append(call)
        if judged.rewrite is not None:
            edits[call.key] = judged.rewrite
    return turn, edits


async def _asked_again(
    exchange: Exchange, request: Document, document: Document, answer: Answer, turn: Turn
) -> tuple[Document, int, httpx.Response] | None:
    """The continued request, its size, and the answer to it; None where the turn stands as it is."""
    if not turn.can_go_on(is_single=answer.is_single):
        return None
    continued = exchange.api.continued(request, document, turn.errors())
    body = write_answer(continued)
    try:
        response = await exchange.ask(body)
    except ApiError:
        return None
    if response.is_success and not is_stream(response.headers):
        return continued, len(body), response
    await response.aclose()
    return None


async def _take(response: httpx.Response, limit: int, body: bytearray) -> None:
    try:
        async for piece in unpacked(response, limit):
            body += piece
    finally:
        await response.aclose()


async def _send(offer: Offer, response: httpx.Response, body: bytes, rounds: int, send: Send) -> None:
    headers = [
        *response_headers(response.headers.raw, is_changed=True),
        *offer.headers,
        (b"content-length", b"%d" % len(body)),
    ]
    if rounds:
        headers.append((ROUNDS, b"%d" % rounds))
    await send_start(send, response.status_code, headers)
    await send_piece(send, body, is_last=True)
