"""Values of a document that must have a shape, and the data of an event."""

from __future__ import annotations

from typing import Any

from policyc_server.bodies import read_json
from policyc_server.errors import ApiError
from policyc_server.gateway.documents import write_answer
from policyc_server.gateway.sse import Event, write_event
from policyc_server.gateway.vendors.vendor import Document, Unreadable


def as_object(value: object, what: str, *keys: str) -> Document:
    """``value`` where it is an object. Raises Unreadable, which calls it ``what``; also where a key is one of
    ``keys`` (in lower case) for readers that ignore case, as Go's encoding/json does."""
    if not isinstance(value, dict):
        raise Unreadable(f"{what} is not an object")
    if keys and any(key not in keys and key.casefold() in keys for key in value):
        raise Unreadable(f"{what} has a key that some readers take for another")
    return value


def as_list(value: object, what: str) -> list[Any]:
    """``value`` where it is a list; None is an empty one. Raises Unreadable."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Unreadable(f"{what} is not a list")
    return value


def as_text(value: object, what: str) -> str:
    """``value`` where it is a string. Raises Unreadable."""
    if not isinstance(value, str):
        raise Unreadable(f"{what} is not a string")
    return value


def count(value: object) -> int:
    """A number of tokens; what is none is 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def plain(event: Event) -> Event | None:
    """The event so that all readers see one event: JSON with its line ends escaped; None for a comment with
    such ends. Raises Unreadable."""
    if not event.has_half_line_ends:
        return event
    if event.data is None:
        return None
    data = write_answer(event_document(event)).decode()
    return Event(write_event(data, event.name), event.name, data)


def event_document(event: Event) -> Document:
    """The JSON object in the data of an event, read strictly. Raises Unreadable."""
    try:
        document = read_json((event.data or "").encode())
    except ApiError as error:
        raise Unreadable(f"an event is not one JSON document ({error.code})") from None
    return as_object(document, "an event")
