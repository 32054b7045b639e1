"""Chunks of a streamed chat completion as they leave: with what became of the calls in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from policyc_server.gateway.documents import write_answer
from policyc_server.gateway.sse import write_event
from policyc_server.gateway.vendors.openai_chat_calls import (
    FUNCTION_CALL,
    TOOL_CALLS,
    call_keys,
    rewritten,
    rewritten_function,
)
from policyc_server.gateway.vendors.openai_chat_choice import CallParts, Choice
from policyc_server.gateway.vendors.vendor import Document, Note, Rewrite

_GAP = "\n\n"
#: What clients show while it comes.
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


def put_calls(delta: Document, where: str, choice: Choice) -> list[str]:
    """Puts into `delta` what its parts of calls became; returns the notes in place of those that went."""
    notes: list[str] = []
    found = [
        one
        for part in (delta[where] if where == TOOL_CALLS else [delta[where]])
        for one in [_put(part, where, choice.find(part, where), notes)]
        if one is not None
    ]
    if not found:
        del delta[where]
    else:
        delta[where] = found if where == TOOL_CALLS else found[0]
    return notes


def _put(part: Any, where: str, call: CallParts, notes: list[str]) -> Any:
    """What is left of a part of a call: an edit takes the place of its first part, and all others go."""
    is_first, call.is_written = not call.is_written, True
    if isinstance(call.edit, Note):
        notes += [call.edit.text] if is_first else []
        return None
    if isinstance(call.edit, Rewrite):
        if not is_first:
            return None
        entry = call.entry()
        if where == FUNCTION_CALL:
            return rewritten_function(entry["function"], call.edit)
        part = rewritten(entry, call.edit)
    return {**part, "index": call.slot} if where == TOOL_CALLS else part


def text_event(document: Document, choice: Choice, text: str) -> bytes:
    """An event of text, apart from the text that the client has; the empty one only sets what comes apart."""
    gap = _GAP if choice.has_text else ""
    choice.has_text, choice.needs_gap = True, False
    delta: Document = {"content": gap + text}
    if not choice.has_role:
        delta, choice.has_role = {"role": "assistant", **delta}, True
    entry = {"index": choice.number, "delta": delta, "finish_reason": None}
    return write({**document, "choices": [entry]})


def write(document: Document) -> bytes:
    """The event of what `document` says; nothing where that is nothing."""
    says = [entry for entry in document["choices"] if entry.get("delta") or entry.get("finish_reason")]
    return write_event(write_answer({**document, "choices": says}).decode()) if says else b""


def has_text(entry: Document) -> bool:
    delta = entry.get("delta") or {}
    return any(delta.get(key) for key in _TEXTS)


def mapped(document: Document, change: Callable[[Document], Document]) -> Document:
    return {**document, "choices": [change(entry) for entry in document["choices"]]}


def texts_alone(entry: Document) -> Document:
    delta = entry.get("delta") or {}
    return {**entry, "delta": {key: value for key, value in delta.items() if key not in call_keys(delta)}}


def without_texts(entry: Document) -> Document:
    delta = entry.get("delta") or {}
    return {**entry, "delta": {key: delta[key] for key in call_keys(delta)}}


def end_alone(entry: Document) -> Document:
    return {**entry, "delta": {}}


def without_end(entry: Document) -> Document:
    return {**entry, "finish_reason": None}
