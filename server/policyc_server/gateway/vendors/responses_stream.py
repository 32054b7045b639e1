"""A streamed answer of OpenAI responses. https://platform.openai.com/docs/api-reference/responses-streaming

An item that is a call is held with all its events until it is settled, and so is what a hosted call returned.
Items keep the order in which the client got them, so indexes and sequence numbers are written anew as soon as
that is another order than upstream's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from policyc_server.gateway.documents import write_answer
from policyc_server.gateway.sse import Event, write_event
from policyc_server.gateway.vendors.behind import Behind
from policyc_server.gateway.vendors.responses_calls import call_of, result_of
from policyc_server.gateway.vendors.responses_chain import Chain
from policyc_server.gateway.vendors.responses_deltas import agrees
from policyc_server.gateway.vendors.responses_edits import edited_item, results
from policyc_server.gateway.vendors.responses_usage import usage_of
from policyc_server.gateway.vendors.shapes import as_list, as_object, as_text, event_document
from policyc_server.gateway.vendors.vendor import (
    MOST_CALLS,
    Document,
    Edit,
    End,
    Step,
    Stream,
    Unreadable,
    Usage,
)

_STARTS = frozenset({"response.created", "response.queued", "response.in_progress"})
_FINALS = frozenset({"response.completed", "response.incomplete", "response.failed"})
_ADDED, _DONE = "response.output_item.added", "response.output_item.done"
#: What an item is from its first event on.
_IDENTITY = ("type", "id", "call_id", "name", "namespace", "server_label")
#: What could carry items in an event that this version does not know.
_CARRIERS = frozenset(
    {
        *("arguments", "code", "command", "delta", "diff", "input", "item", "item_id", "items", "operation"),
        *("action", "output", "response"),
    }
)


@dataclass(slots=True)
class _Read:
    """An event and its data."""

    event: Event
    data: Document


@dataclass(slots=True)
class _Turn:
    """One answer of upstream, by its own indexes."""

    items: dict[int, Document] = field(default_factory=dict)
    """Items that are complete, as they came."""
    held: dict[int, list[_Read]] = field(default_factory=dict)
    """The events of each call that is not settled, and of each result that waits for one."""
    waiting: dict[int, int] = field(default_factory=dict)
    """Results of hosted calls: by their index, that of the call."""
    places: dict[int, int] = field(default_factory=dict)
    """Where the client has an item that was released."""
    edits: dict[int, Edit] = field(default_factory=dict)
    final: _Read | None = None


class ResponsesStream(Stream):
    """The events of one message to the client."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._turn = _Turn()
        self._behind = Behind()
        self._is_first = True
        self._is_over = False
        self._shown: Document = {}
        """The response as the client first saw it."""
        self._released: list[Document | None] = []
        """The items that the client has; None while one is not complete."""
        self._sequence = 0

    def feed(self, event: Event) -> Iterator[Step]:
        return self._behind.steps(self._steps(event))

    def _steps(self, event: Event) -> list[Step]:
        if event.data is None or event.data == "[DONE]":
            return [event.raw]
        read = _Read(event, event_document(event))
        as_object(read.data, "an event", "type", "output_index", *_CARRIERS)
        kind = as_text(read.data.get("type"), "the type of an event")
        if event.name not in (None, kind) or self._turn.final is not None:
            raise Unreadable("an event has another name than its type, or comes after the last")
        if kind in _STARTS:
            return self._start(read)
        if kind in _FINALS:
            self._turn.final, self._is_over = read, True
            return [End()]
        if kind == "error":
            self._is_over = True
            return [event.raw]
        return self._within(kind, read)

    def settle(self, key: Hashable, edit: Edit | None) -> bytes:
        assert isinstance(key, int)
        item = self._turn.items[key]
        if edit is None:
            results = [index for index, call in self._turn.waiting.items() if call == key]
            return b"".join(map(self._release, [key, *results]))
        del self._turn.held[key]
        place = self._place(key)
        self._turn.edits[key] = edit
        self._released[place] = new = edited_item(item, edit, f"{self._sequence}_{place}")
        return b"".join(self._written(event, place) for event in _events(new))

    def end(self) -> bytes:
        return self._last() + self._behind.release()

    def _last(self) -> bytes:
        """The event that ends the turn."""
        assert self._turn.final is not None
        read = self._turn.final
        response = _response(read)
        if self._is_first and not self._turn.edits and self._says_what_was_released(response):
            return self._numbered(read)
        self._remember(response)
        output = [item for item in self._released if item is not None]
        shown = {key: self._shown.get(key) for key in ("id", "previous_response_id") if key in self._shown}
        return self._written({**read.data, "response": {**response, **shown, "output": output}})

    def answer(self) -> Document:
        response = {} if self._turn.final is None else _response(self._turn.final)
        return {**response, "output": [self._turn.items[index] for index in sorted(self._turn.items)]}

    @property
    def usage(self) -> Usage | None:
        return None if self._turn.final is None else usage_of(_response(self._turn.final))

    @property
    def is_single(self) -> bool:
        return True

    @property
    def is_over(self) -> bool:
        return self._is_over

    def restart(self) -> None:
        self._turn = _Turn()
        self._behind = Behind()
        self._is_first = self._is_over = False

    def _start(self, read: _Read) -> list[Step]:
        response = _response(read)
        if response.get("output"):
            raise Unreadable("a response has output before its items")
        if not self._is_first:
            return []
        self._shown = response
        return [self._numbered(read)]

    def _within(self, kind: str, read: _Read) -> list[Step]:
        """An event about an item, or about nothing that is known here."""
        index = read.data.get("output_index")
        if index is None and _CARRIERS.isdisjoint(read.data):
            return [self._numbered(read)]
        if not isinstance(index, int):
            raise Unreadable("an event does not say which item it is about")
        if kind == _ADDED:
            return self._added(index, read)
        if index in self._turn.held:
            return self._held(index, kind, read)
        if index not in self._turn.places or index in self._turn.items:
            raise Unreadable("an event is about an item that is not open")
        if kind == _DONE:
            self._done(index, read)
        return [self._numbered(read, self._turn.places[index])]

    def _added(self, index: int, read: _Read) -> list[Step]:
        if index != len(self._turn.places) + len(self._turn.held):
            raise Unreadable("items are not numbered one after the other")
        if index == MOST_CALLS:
            raise Unreadable("there are more items than any model makes")
        item = as_object(read.data.get("item"), "an item")
        call = result_of(item, self._turn.items)
        if call is not None and (call in self._turn.held or call in self._turn.edits):
            self._turn.waiting[index] = call
        elif call_of(item, index) is None:
            return [self._numbered(read, self._place(index))]
        self._turn.held[index] = [read]
        return []

    def _held(self, index: int, kind: str, read: _Read) -> list[Step]:
        if index in self._turn.items:
            raise Unreadable("a call goes on after its end")
        self._turn.held[index].append(read)
        if kind != _DONE:
            return []
        self._turn.items[index] = item = as_object(read.data.get("item"), "an item")
        events = [held.data for held in self._turn.held[index]]
        if any(events[0]["item"].get(key) != item.get(key) for key in _IDENTITY):
            raise Unreadable("an item became another one")
        call = call_of(item, index)
        if call is None:
            return []
        is_told = agrees(events, item, is_hosted=call.is_hosted)
        return [call if is_told else replace(call, raw=None)]

    def _release(self, index: int) -> bytes:
        """What is held of an item, as it came."""
        place = self._place(index)
        self._released[place] = self._turn.items.get(index)
        return b"".join(self._numbered(read, place) for read in self._turn.held.pop(index))

    def _done(self, index: int, read: _Read) -> None:
        item = as_object(read.data.get("item"), "an item")
        if call_of(item, index) is not None:
            raise Unreadable("an item became a call")
        self._turn.items[index] = self._released[self._turn.places[index]] = item

    def _place(self, index: int) -> int:
        """The next index of the client is that of the item."""
        self._turn.places[index] = len(self._released)
        self._released.append(None)
        return self._turn.places[index]

    def _says_what_was_released(self, response: Document) -> bool:
        """Whether every call in the last event is one that the client has, in the same place."""
        for index, item in enumerate(as_list(response.get("output"), "the output")):
            is_call = call_of(as_object(item, "an item"), index) is not None
            if is_call and (index >= len(self._released) or self._released[index] != item):
                return False
        return True

    def _remember(self, response: Document) -> None:
        shown, last = self._shown.get("id"), response.get("id")
        if response.get("store") is True and isinstance(shown, str) and isinstance(last, str):
            self._chain.remember(shown, last, results(self._turn.items, self._turn.edits))

    def _numbered(self, read: _Read, place: int | None = None) -> bytes:
        """The event as it came, but for numbers that are others for the client."""
        new: Document = {} if place is None else {"output_index": place}
        if "sequence_number" in read.data:
            new["sequence_number"] = self._sequence
        self._sequence += 1
        if all(read.data[key] == value for key, value in new.items()):
            return read.event.raw
        return write_event(write_answer({**read.data, **new}).decode(), read.event.name)

    def _written(self, data: Document, place: int | None = None) -> bytes:
        """An event of the gateway's own."""
        new: Document = {} if place is None else {"output_index": place}
        numbered = {**data, **new, "sequence_number": self._sequence}
        self._sequence += 1
        return write_event(write_answer(numbered).decode(), str(data["type"]))


def _response(read: _Read) -> Document:
    return as_object(read.data.get("response"), "a response", "output")


def _events(item: Document) -> list[Document]:
    """The events that bring an item of the gateway's own."""
    about = {"item_id": item.get("id")}
    if item["type"] == "message":
        between, empty = _message_events(item["content"][0], about), {"content": [], "status": "in_progress"}
    elif item["type"] == "function_call":
        delta = {"type": "response.function_call_arguments.delta", **about, "delta": item["arguments"]}
        done = {"type": "response.function_call_arguments.done", **about, "arguments": item["arguments"]}
        between, empty = [delta, done], {"arguments": "", "status": "in_progress"}
    else:
        between, empty = [], {}
    return [{"type": _ADDED, "item": {**item, **empty}}, *between, {"type": _DONE, "item": item}]


def _message_events(content: Document, about: dict[str, Any]) -> list[Document]:
    place = {**about, "content_index": 0}
    return [
        {"type": "response.content_part.added", **place, "part": {**content, "text": ""}},
        {"type": "response.output_text.delta", **place, "delta": content["text"], "logprobs": []},
        {"type": "response.output_text.done", **place, "text": content["text"], "logprobs": []},
        {"type": "response.content_part.done", **place, "part": content},
    ]
