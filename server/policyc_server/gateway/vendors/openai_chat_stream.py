"""A stream of chat completion chunks: https://platform.openai.com/docs/api-reference/chat-streaming"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from policyc_server.gateway.sse import Event
from policyc_server.gateway.vendors.behind import Behind
from policyc_server.gateway.vendors.openai_chat_calls import call_keys, finished
from policyc_server.gateway.vendors.openai_chat_choice import CallParts, Choice, index_of
from policyc_server.gateway.vendors.openai_chat_chunks import (
    end_alone,
    has_text,
    mapped,
    put_calls,
    text_event,
    texts_alone,
    without_end,
    without_texts,
    write,
)
from policyc_server.gateway.vendors.shapes import as_list, as_object, count, event_document
from policyc_server.gateway.vendors.vendor import (
    Document,
    Edit,
    End,
    Step,
    Stream,
    Unreadable,
    Usage,
)

_DONE = "[DONE]"


def usage_of(document: Document) -> Usage | None:
    """What an answer, or the chunk that says so, reports."""
    usage = document.get("usage")
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    cached, written = count(details.get("cached_tokens")), count(details.get("cache_write_tokens"))
    fresh = max(0, count(usage.get("prompt_tokens")) - cached - written)
    return Usage(fresh, count(usage.get("completion_tokens")), cached, written)


@dataclass
class _Held:
    """An event with parts of ``calls``, or an end that waits behind them. ``raw`` is None where its text has
    left already; the ``is_last`` one waits for the end of the turn."""

    raw: bytes | None
    document: Document
    calls: list[CallParts]
    is_last: bool


class ChatStream(Stream):
    """``choices`` are the answers asked for side by side; ``hides_usage`` keeps the chunk with the usage from
    a client that did not ask for it."""

    def __init__(self, choices: int, *, hides_usage: bool) -> None:
        self._asked = choices
        self._hides_usage = hides_usage
        self._choices: dict[int, Choice] = {}
        self.restart()

    def restart(self) -> None:
        for choice in self._choices.values():
            choice.restart()
        self._queue: deque[_Held] = deque()
        self._usage: Usage | None = None
        self._has_ended = False
        self._is_over = False
        self._behind = Behind()

    @property
    def usage(self) -> Usage | None:
        return self._usage

    @property
    def is_over(self) -> bool:
        return self._is_over or self._has_ended

    @property
    def is_single(self) -> bool:
        return (
            self._asked == 1
            and set(self._choices) <= {0}
            and all(one.is_known for one in self._choices.values())
        )

    def answer(self) -> Document:
        return {"choices": [choice.answer() for _, choice in sorted(self._choices.items())]}

    def feed(self, event: Event) -> Iterator[Step]:
        return self._behind.steps(self._steps(event))

    def _steps(self, event: Event) -> Iterator[Step]:
        if event.data is None:
            yield event.raw
        elif event.data.strip() == _DONE:
            yield from self._done(event)
        else:
            yield from self._read(event, event_document(event))

    def _done(self, event: Event) -> Iterator[Step]:
        self._is_over = True
        if self._has_ended:
            yield event.raw
            return
        complete = [call for choice in self._choices.values() for call in choice.finish(None)]
        self._queue.append(_Held(event.raw, {}, [], is_last=True))
        yield from (call.call() for call in complete)
        self._has_ended = True
        yield End()

    def _read(self, event: Event, document: Document) -> Iterator[Step]:
        as_object(document, "an event", "choices", "error")
        self._usage = usage_of(document) or self._usage
        if document.get("error"):
            if document.get("choices"):
                raise Unreadable("an error has choices")
            self._queue.clear()
            self._is_over = True
            yield event.raw
        elif choices := as_list(document.get("choices"), "choices"):
            yield from self._chunk(
                event, document, [as_object(one, "a choice", "message", "delta", "index") for one in choices]
            )
        elif not (self._hides_usage and document.get("usage")):
            yield event.raw

    def _chunk(self, event: Event, document: Document, choices: list[Document]) -> Iterator[Step]:
        calls: list[CallParts] = []
        complete: list[CallParts] = []
        for entry in choices:
            if call_keys(as_object(entry.get("message") or {}, "a message")):
                raise Unreadable("a chunk has a whole message with calls")
            choice = self._choice(entry)
            touched, by_delta = choice.add(as_object(entry.get("delta") or {}, "a delta"))
            calls += touched
            complete += by_delta
            if entry.get("finish_reason") is not None:
                complete += choice.finish(entry["finish_reason"])
        ends = any(entry.get("finish_reason") is not None for entry in choices)
        is_last = ends and not self._has_ended and self._are_finished()
        if not calls and not is_last and not (ends and self._queue):
            yield self._written(event.raw, document)
            return
        raw: bytes | None = event.raw
        if calls and not ends and any(map(has_text, choices)):
            yield self._written(None, mapped(document, texts_alone))
            raw, document = None, mapped(document, without_texts)
        self._queue.append(_Held(raw, document, calls, is_last))
        yield from (call.call() for call in complete)
        if is_last:
            self._has_ended = True
            yield End()

    def _choice(self, entry: Document) -> Choice:
        number = index_of(entry, "a choice")
        if number not in self._choices:
            self._choices[number] = Choice(number)
        return self._choices[number]

    def _are_finished(self) -> bool:
        done = [choice for choice in self._choices.values() if choice.finish_reason is not None]
        return len(done) >= self._asked

    def settle(self, key: Hashable, edit: Edit | None) -> bytes:
        choice, call = next(
            (choice, call) for choice in self._choices.values() for call in choice.calls if call.key == key
        )
        choice.settle(call, edit)
        return self._flush(with_last=False)

    def end(self) -> bytes:
        return self._flush(with_last=True) + self._behind.release()

    def _flush(self, *, with_last: bool) -> bytes:
        pieces = []
        while self._queue and all(call.is_settled for call in self._queue[0].calls):
            if self._queue[0].is_last and not with_last:
                break
            held = self._queue.popleft()
            pieces.append(self._written(held.raw, held.document))
        return b"".join(pieces)

    def _written(self, raw: bytes | None, document: Document) -> bytes:
        """An event as it leaves: as it came where nothing of it has to change."""
        if not document:
            return raw or b""
        before: list[bytes] = []
        notes: list[bytes] = []
        edited = mapped(document, lambda entry: self._edited(entry, document, before, notes))
        if raw is not None and not before and not notes and edited == document:
            return raw
        if not notes:
            return b"".join([*before, write(edited)])
        ends = write(mapped(edited, end_alone))
        return b"".join([*before, write(mapped(edited, without_end)), *notes, ends])

    def _edited(
        self, entry: Document, document: Document, before: list[bytes], notes: list[bytes]
    ) -> Document:
        """A choice of an event with what its calls became. What has to come ``before`` it, and the ``notes``
        in place of its calls, are events of their own."""
        choice = self._choices[entry["index"]]
        delta = dict(entry.get("delta") or {})
        if delta.get("role") is not None and choice.needs_no_role:
            del delta["role"]
        choice.has_role = choice.has_role or delta.get("role") is not None
        if has_text(entry):
            before += [text_event(document, choice, "")] if choice.needs_gap else []
            choice.has_text, choice.needs_gap = True, False
        for where in call_keys(delta):
            texts = put_calls(delta, where, choice)
            notes += [text_event(document, choice, text) for text in texts]
        left = {**entry, "delta": delta} if "delta" in entry else entry
        if choice.has_lost_its_calls and entry.get("finish_reason") is not None:
            left = {**left, "finish_reason": finished(entry["finish_reason"])}
        return left
