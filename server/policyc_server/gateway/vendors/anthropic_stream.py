"""A stream of Anthropic's messages: https://docs.claude.com/en/docs/build-with-claude/streaming"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from policyc_server.gateway.documents import arguments_of, write_answer
from policyc_server.gateway.sse import Event, write_event
from policyc_server.gateway.vendors.anthropic_blocks import (
    KEYS,
    TOOL_USE,
    answered,
    call_of,
    id_of,
    is_call,
    is_known,
)
from policyc_server.gateway.vendors.behind import Behind
from policyc_server.gateway.vendors.shapes import as_object, as_text, count, event_document
from policyc_server.gateway.vendors.vendor import (
    Document,
    Edit,
    End,
    Note,
    Step,
    Stream,
    ToolCall,
    Unreadable,
    Usage,
)

_INPUT = "input_json_delta"
#: Types of deltas -> the key of the block that they are more of.
_TEXTS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
_CITATION = "citations_delta"


def usage_of(value: object) -> Usage | None:
    """What an answer, or the events of one together, report."""
    if not isinstance(value, dict):
        return None
    return Usage(
        count(value.get("input_tokens")),
        count(value.get("output_tokens")),
        count(value.get("cache_read_input_tokens")),
        count(value.get("cache_creation_input_tokens")),
    )


def finished(reason: object) -> object:
    """The stop reason of a message that has no call left for the client."""
    return "end_turn" if reason == "tool_use" else reason


class _Block:
    """A content block, put together; of a call with the events that it came in."""

    def __init__(self, key: int, start: Document) -> None:
        self.key = key
        self.start = start
        self.is_call = is_call(start)
        self.slot = 0
        self.held: list[tuple[Event, Document]] = []
        self._texts: dict[str, list[Any]] = {}

    def add(self, delta: Document) -> None:
        """Raises Unreadable."""
        kind = as_text(delta.get("type"), "the type of a delta")
        if kind == _INPUT:
            if not self.is_call:
                raise Unreadable("a block that is no call gets arguments")
            self._texts.setdefault("input", []).append(delta.get("partial_json"))
        elif kind in _TEXTS:
            self._texts.setdefault(_TEXTS[kind], []).append(delta.get(_TEXTS[kind]))
        elif kind == _CITATION:
            self._texts.setdefault("citations", []).append(delta.get("citation"))

    def raw(self) -> str | Document | None:
        """The arguments of a call. Where both its start and its deltas have some, readers may differ."""
        pieces, given = self._texts.get("input", []), self.start.get("input")
        if not all(isinstance(piece, str) for piece in pieces):
            return None
        text = "".join(pieces)
        if not given:
            return text
        return given if not text and isinstance(given, dict) else None

    def call(self) -> ToolCall:
        return call_of(self.start, self.key, self.raw())

    def block(self) -> Document:
        """The block without streaming."""
        found = dict(self.start)
        for key, pieces in self._texts.items():
            if key == "citations":
                found[key] = [*(found.get(key) or ()), *pieces]
            elif key != "input":
                found[key] = (found.get(key) or "") + "".join(piece or "" for piece in pieces)
        if self.is_call:
            arguments = arguments_of(self.raw())
            found["input"] = arguments if isinstance(arguments, dict) else {}
        return found


class MessageStream(Stream):
    def __init__(self) -> None:
        self._has_started = False
        #: The index of the client's next block, and whether one of its blocks is a call for it.
        self._next = 0
        self._has_tool_use = False
        self.restart()

    def restart(self) -> None:
        self._blocks: list[_Block] = []
        self._open: dict[int, _Block] = {}
        #: Calls that went, and whose results go with them.
        self._dropped: set[str | None] = set()
        self._usage: Document = {}
        self._last: tuple[Event, Document] | None = None
        self._behind = Behind()
        self._stop: Document = {}
        self._has_ended = False
        self._is_over = False

    @property
    def usage(self) -> Usage | None:
        return usage_of(self._usage) if self._usage else None

    @property
    def is_over(self) -> bool:
        return self._is_over

    @property
    def is_single(self) -> bool:
        return all(is_known(block.start) for block in self._blocks)

    def answer(self) -> Document:
        return {"content": [block.block() for block in self._blocks], **self._stop}

    def feed(self, event: Event) -> Iterator[Step]:
        return self._behind.steps(self._read(event))

    def _read(self, event: Event) -> Iterator[Step]:
        if event.data is None:
            yield event.raw
            return
        document = event_document(event)
        as_object(document, "an event", "type", "index", "content_block", "delta", "message")
        kind = document.get("type")
        if event.name is not None and event.name != kind:
            raise Unreadable("an event is called otherwise than its data says")
        read = _READERS.get(kind) if isinstance(kind, str) else None
        if read is not None:
            yield from read(self, event, document)
        elif {"content_block", "delta", "message"} & set(document):
            raise Unreadable("an event is of a type that is not known")
        else:
            yield event.raw

    def _message_start(self, event: Event, document: Document) -> Iterator[Step]:
        message = as_object(document.get("message"), "a message", "content")
        if message.get("content"):
            raise Unreadable("a message starts with content")
        self._usage |= as_object(message.get("usage") or {}, "usage")
        if not self._has_started:
            self._has_started = True
            yield event.raw

    def _block_start(self, event: Event, document: Document) -> Iterator[Step]:
        index = _index(document)
        if index in self._open or self._has_ended:
            raise Unreadable("a block starts where none can")
        block = _Block(len(self._blocks), as_object(document.get("content_block"), "a block", *KEYS))
        self._blocks.append(block)
        self._open[index] = block
        if block.is_call:
            block.held.append((event, document))
        elif answered(block.start) not in self._dropped:
            block.slot, self._next = self._next, self._next + 1
            yield _numbered(event, document, block.slot)

    def _block_delta(self, event: Event, document: Document) -> Iterator[Step]:
        block = self._opened(document)
        block.add(as_object(document.get("delta"), "a delta", "type", "partial_json"))
        if block.is_call:
            block.held.append((event, document))
        elif answered(block.start) not in self._dropped:
            yield _numbered(event, document, block.slot)

    def _block_stop(self, event: Event, document: Document) -> Iterator[Step]:
        block = self._opened(document)
        del self._open[_index(document)]
        if block.is_call:
            block.held.append((event, document))
            yield block.call()
        elif answered(block.start) not in self._dropped:
            yield _numbered(event, document, block.slot)

    def _opened(self, document: Document) -> _Block:
        block = self._open.get(_index(document))
        if block is None:
            raise Unreadable("a block goes on that is not open")
        return block

    def _message_delta(self, event: Event, document: Document) -> Iterator[Step]:
        delta = as_object(document.get("delta") or {}, "a delta")
        usage = as_object(document.get("usage") or {}, "usage")
        self._usage |= {name: n for name, n in usage.items() if n is not None}
        self._stop |= {name: value for name, value in delta.items() if value is not None}
        if self._has_ended or delta.get("stop_reason") is None:
            yield event.raw
        else:
            yield from self._end_with(event, document)

    def _message_stop(self, event: Event, document: Document) -> Iterator[Step]:
        self._is_over = True
        if self._has_ended:
            yield event.raw
        else:
            yield from self._end_with(event, document)

    def _end_with(self, event: Event, document: Document) -> Iterator[Step]:
        if self._open:
            raise Unreadable("a message ends inside a block")
        self._last = (event, document)
        self._has_ended = True
        yield End()

    def _error(self, event: Event, _document: Document) -> Iterator[Step]:
        self._is_over = True
        yield event.raw

    def settle(self, key: Hashable, edit: Edit | None) -> bytes:
        block = self._blocks[key]  # type: ignore[call-overload]
        slot, self._next = self._next, self._next + 1
        if isinstance(edit, Note):
            self._dropped |= {found for found in (id_of(block.start),) if found is not None}
            return _whole({"type": "text", "text": ""}, {"type": "text_delta", "text": edit.text}, slot)
        self._has_tool_use = self._has_tool_use or block.start.get("type") == TOOL_USE
        if edit is None:
            return b"".join(_numbered(event, document, slot) for event, document in block.held)
        text = write_answer(edit.arguments).decode()
        return _whole({**block.start, "input": {}}, {"type": _INPUT, "partial_json": text}, slot)

    def end(self) -> bytes:
        return self._end() + self._behind.release()

    def _end(self) -> bytes:
        if self._last is None:
            return b""
        event, document = self._last
        reason = (document.get("delta") or {}).get("stop_reason")
        if self._has_tool_use or reason == finished(reason):
            return event.raw
        return _event({**document, "delta": {**document["delta"], "stop_reason": finished(reason)}})


_READERS: dict[str, Callable[[MessageStream, Event, Document], Iterator[Step]]] = {
    "message_start": MessageStream._message_start,
    "content_block_start": MessageStream._block_start,
    "content_block_delta": MessageStream._block_delta,
    "content_block_stop": MessageStream._block_stop,
    "message_delta": MessageStream._message_delta,
    "message_stop": MessageStream._message_stop,
    "error": MessageStream._error,
}


def _index(document: Document) -> int:
    index = document.get("index")
    if not isinstance(index, int) or isinstance(index, bool):
        raise Unreadable("a block has no index")
    return index


def _numbered(event: Event, document: Document, slot: int) -> bytes:
    """The event with the index that the client knows the block by."""
    return event.raw if document["index"] == slot else _event({**document, "index": slot})


def _whole(start: Document, delta: Document, slot: int) -> bytes:
    """The events of a block with one delta."""
    return b"".join(
        (
            _event({"type": "content_block_start", "index": slot, "content_block": start}),
            _event({"type": "content_block_delta", "index": slot, "delta": delta}),
            _event({"type": "content_block_stop", "index": slot}),
        )
    )


def _event(document: Document) -> bytes:
    return write_event(write_answer(document).decode(), document["type"])
