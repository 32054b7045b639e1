"""A streamed Gemini answer: each event is an answer of its own, with more parts of the same turn.

A function call comes whole in one part. The event that brings it is held until all its calls are settled, and
goes out as it came where nothing changed. Where it has to wait longer, its text is taken out and goes ahead.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from policyc_server.gateway.documents import check_rest, read_answer, write_answer
from policyc_server.gateway.sse import Event, write_event
from policyc_server.gateway.vendors.behind import Behind
from policyc_server.gateway.vendors.gemini_names import key_of, snake, value_of
from policyc_server.gateway.vendors.gemini_parts import (
    Editor,
    Key,
    call_of,
    candidates_of,
    index_of,
    parts_of,
    signature_of,
    with_parts,
)
from policyc_server.gateway.vendors.gemini_usage import usage_of
from policyc_server.gateway.vendors.shapes import as_object
from policyc_server.gateway.vendors.vendor import (
    Document,
    Edit,
    End,
    Step,
    Stream,
    ToolCall,
    Unreadable,
    Usage,
)

_FINISH = ("finish_reason", "finish_message")


@dataclass(slots=True)
class _Chunk:
    """An event, and what the client has not got of it."""

    event: Event
    data: Document
    parts: dict[int, list[tuple[Key, Document]]] = field(default_factory=dict)
    """By candidate; without those that went ahead."""
    calls: list[ToolCall] = field(default_factory=list)
    open: set[Key] = field(default_factory=set)
    """Calls that are not settled."""
    is_final: bool = False
    is_whole: bool = True
    """Whether nothing of it was changed, or went ahead."""


class GeminiStream(Stream):
    """The events of one message to the client, with ``candidates`` turns side by side."""

    def __init__(self, candidates: int) -> None:
        self._candidates = candidates
        self._is_over = False
        self._start_turn()

    def _start_turn(self) -> None:
        self._parts: dict[int, list[Document]] = {}
        self._edits: dict[Key, Edit] = {}
        self._editor = Editor(self._edits)
        self._held: list[_Chunk] = []
        self._finals: list[_Chunk] = []
        self._finished: set[int] = set()
        self._is_refused = False
        self._behind = Behind()
        self._usage: Usage | None = None
        self._has_released_call = False

    def feed(self, event: Event) -> Iterator[Step]:
        return self._behind.steps(self._steps(event))

    def _steps(self, event: Event) -> Iterator[Step]:
        if event.data is None:
            yield event.raw
            return
        chunk = self._read(event)
        if key_of(chunk.data, "error") is not None:
            if chunk.calls:
                raise Unreadable("an error has calls")
            self._is_over = True
            yield event.raw
        elif self._is_over and chunk.calls:
            raise Unreadable("a call comes after the end of the turn")
        elif self._is_over or not (chunk.calls or chunk.is_final):
            yield event.raw if self._editor.is_idle else self._write(chunk, chunk.parts)
        else:
            yield from self._hold(chunk)

    def settle(self, key: Hashable, edit: Edit | None) -> bytes:
        chunk = next(chunk for chunk in self._held if key in chunk.open)
        chunk.open.remove(key)  # type: ignore[arg-type]
        if edit is not None:
            self._edits[key] = edit  # type: ignore[index]
            chunk.is_whole = False
        return b"" if chunk.open else self._release(chunk)

    def end(self) -> bytes:
        return b"".join(map(self._last, self._finals)) + self._behind.release()

    def answer(self) -> Document:
        return {
            "candidates": [
                {"index": index, "content": {"role": "model", "parts": parts}}
                for index, parts in self._parts.items()
            ]
        }

    @property
    def usage(self) -> Usage | None:
        return self._usage

    @property
    def is_single(self) -> bool:
        return self._candidates == 1 and set(self._parts) <= {0}

    @property
    def is_over(self) -> bool:
        return self._is_over

    def restart(self) -> None:
        self._is_over = False
        self._start_turn()

    def _read(self, event: Event) -> _Chunk:
        data = as_object(read_answer((event.data or "").encode()), "an event")
        chunk = _Chunk(event, data)
        for candidate in candidates_of(data):
            self._number(chunk, candidate)
        check_rest(data, chunk.calls)
        self._usage = usage_of(data) or self._usage
        feedback = value_of(data, "prompt_feedback")
        if isinstance(feedback, dict) and value_of(feedback, "block_reason") is not None:
            chunk.is_final = self._is_refused = True
        return chunk

    def _number(self, chunk: _Chunk, candidate: Document) -> None:
        index = index_of(candidate)
        known = self._parts.setdefault(index, [])
        for part in parts_of(candidate):
            key = (index, len(known))
            known.append(part)
            chunk.parts.setdefault(index, []).append((key, part))
            call = call_of(part, key)
            if call is not None:
                chunk.calls.append(call)
                chunk.open.add(key)
        if value_of(candidate, "finish_reason") is not None:
            self._finished.add(index)
            chunk.is_final = True

    def _hold(self, chunk: _Chunk) -> Iterator[Step]:
        is_behind_others = bool(self._held)
        if chunk.calls:
            self._held.append(chunk)
        if chunk.is_final:
            self._finals.append(chunk)
        yield from chunk.calls
        if chunk.open or (is_behind_others and not chunk.calls):
            ahead = self._ahead(chunk)
            if ahead:
                yield ahead
        if self._is_refused or len(self._finished) >= self._candidates:
            self._is_over = True
            yield End()

    def _ahead(self, chunk: _Chunk) -> bytes:
        """The text of a chunk that has to wait; empty where it has none."""
        texts = {
            index: [
                (key, part) for key, part in parts if call_of(part, key) is None and value_of(part, "text")
            ]
            for index, parts in chunk.parts.items()
        }
        if not any(texts.values()):
            return b""
        chunk.is_whole = False
        written = self._write(chunk, {index: parts for index, parts in texts.items() if parts})
        for index, parts in texts.items():
            gone = {key for key, _ in parts}
            chunk.parts[index] = [found for found in chunk.parts[index] if found[0] not in gone]
        return written

    def _release(self, chunk: _Chunk) -> bytes:
        self._held.remove(chunk)
        self._carry()
        self._has_released_call = self._has_released_call or any(
            call.key not in self._edits for call in chunk.calls
        )
        if chunk.is_whole and self._editor.is_idle and not (chunk.is_final and self._held):
            if chunk.is_final:
                self._finals.remove(chunk)
            return chunk.event.raw
        parts, chunk.parts, chunk.is_whole = chunk.parts, {}, False
        return self._write(chunk, parts)

    def _carry(self) -> None:
        """Lends the first call that goes out the signature of one that is held."""
        if self._has_released_call or self._editor.carried:
            return
        for chunk in self._held:
            for index, parts in chunk.parts.items():
                for _, part in parts:
                    if key_of(part, "function_call") is not None and signature_of(part) is not None:
                        self._editor.carried.setdefault(index, signature_of(part))

    def _last(self, chunk: _Chunk) -> bytes:
        """A chunk with the end of a turn, once the rest of the turn is out."""
        return chunk.event.raw if chunk.is_whole else self._write(chunk, chunk.parts, is_last=True)

    def _write(
        self, chunk: _Chunk, parts: dict[int, list[tuple[Key, Document]]], *, is_last: bool = False
    ) -> bytes:
        key = key_of(chunk.data, "candidates") or "candidates"
        candidates = [
            with_parts(_unfinished(candidate, is_last), self._editor.parts(index, parts.get(index, [])))
            for candidate in candidates_of(chunk.data)
            for index in [index_of(candidate)]
            if is_last or index in parts
        ]
        return write_event(write_answer({**chunk.data, key: candidates}).decode(), chunk.event.name)


def _unfinished(candidate: Document, is_last: bool) -> Document:
    if is_last:
        return candidate
    return {key: value for key, value in candidate.items() if snake(key) not in _FINISH}
