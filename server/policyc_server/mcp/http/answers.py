"""An upstream's answer on its way to the client: as it came, but for lists of tools."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from mcp_types import INTERNAL_ERROR

from policyc.engine.documents import dump
from policyc_server.gateway.sse import Event, EventReader, has_half_line_ends
from policyc_server.mcp.messages import Message, Refused, failure, read_message, written

_log = logging.getLogger(__name__)

#: Keys, as JSON has them, of answers that list tools, and of any answer.
LISTS = ('"tools"',)
ANSWERS = ('"tools"', '"result"', '"error"')

Filter = Callable[[Message], Awaitable[Message]]


class AnswerTooLarge(ValueError):
    """An answer that has to be looked at has more bytes than it may have."""


async def whole(pieces: AsyncIterator[bytes], limit: int) -> bytes:
    """Everything in ``pieces``. Raises AnswerTooLarge."""
    found = bytearray()
    async for piece in pieces:
        found += piece
        if len(found) > limit:
            raise AnswerTooLarge(f"it has more than {limit} bytes")
    return bytes(found)


async def copied(
    pieces: AsyncIterator[bytes], most: int, use: Callable[[bytes], None]
) -> AsyncIterator[bytes]:
    """``pieces`` as they come; at their end ``use`` gets them all, unless they have over ``most`` bytes."""
    found = bytearray()
    async for piece in pieces:
        if len(found) <= most:
            found += piece
        yield piece
    if len(found) <= most:
        use(bytes(found))


async def filtered_list(body: bytes, filtered: Filter) -> bytes:
    """The JSON answer to a request for tools. Raises Refused."""
    return (await filtered(read_message(body))).text.encode()


async def filtered_events(
    pieces: AsyncIterator[bytes],
    filtered: Filter,
    limit: int,
    request: object,
    sought: Sequence[str] = LISTS,
) -> AsyncIterator[bytes]:
    """The events of a stream, each as soon as it is complete; those with a key that is ``sought`` go through
    ``filtered``. ``request``: the id that the stream answers.

    Raises AnswerTooLarge and UnicodeDecodeError."""
    reader = EventReader()
    async for piece in pieces:
        for event in reader.feed(piece):
            yield await _event(event, filtered, request, sought)
        if reader.waiting > limit:
            raise AnswerTooLarge(f"an event has more than {limit} bytes")
    for event in reader.close():
        yield await _event(event, filtered, request, sought)


async def _event(event: Event, filtered: Filter, request: object, sought: Sequence[str]) -> bytes:
    data = event.data
    if data is None:
        # Readers of half line ends would find data in a comment or an id.
        return b"" if event.has_half_line_ends else event.raw
    # A key that is spelt with escapes is the same key, and for some readers one in other letters is.
    if not event.has_half_line_ends and not any(text in data.casefold() for text in (*sought, "\\u")):
        return event.raw
    try:
        message = read_message(data.encode())
    except Refused as error:
        _log.warning("an event is not passed on: %s", error.message)
        said = "the server's answer is not one well-formed message"
        return _with_data(event.raw, written(failure(request, INTERNAL_ERROR, said)).text)
    found = await filtered(message)
    if event.has_half_line_ends:
        return _with_data(event.raw, dump(found.document))
    return event.raw if found is message else _with_data(event.raw, found.text)


def _with_data(raw: bytes, data: str) -> bytes:
    """The event with other data; its id and name are what they were."""
    lines = [line for line in raw.splitlines() if line.startswith((b"id:", b"event:", b"retry:"))]
    lines = [line for line in lines if not has_half_line_ends(line)]
    return b"\n".join([*lines, b"data: " + data.encode(), b"", b""])
