"""Calls in a message of OpenAI's chat completions, whole or put together from a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from policyc.engine.documents import Malformed
from policyc_server.gateway.documents import arguments_of
from policyc_server.gateway.vendors.shapes import as_list, as_object
from policyc_server.gateway.vendors.vendor import NAMELESS, Document, Note, Rewrite, ToolCall

TOOL_CALLS = "tool_calls"
#: The call of a model that knows `functions` instead of `tools`.
FUNCTION_CALL = "function_call"
#: Keys of an entry of `tool_calls`, and of what is in it.
ENTRY = ("index", "type", "function", "custom")
BODY = ("name", "arguments", "input")
#: A choice, the key of its message that the call is under, and the call's place there.
Key = tuple[int, str, int]


def call_keys(message: Document) -> list[str]:
    """The keys of a message, or of a delta, under which there is a call, known to this version or not."""
    return [key for key, value in message.items() if "call" in key.casefold() and value]


def calls_of(message: Document, choice: int) -> Iterator[ToolCall]:
    """Every call in a message. Raises Unreadable."""
    for key in call_keys(message):
        if key == TOOL_CALLS:
            for position, entry in enumerate(as_list(message[key], TOOL_CALLS)):
                yield tool_call(as_object(entry, "a call", *ENTRY), (choice, key, position))
        elif key == FUNCTION_CALL:
            yield _of_function(message[key], (choice, key, 0))
        else:
            yield ToolCall((choice, key, 0), key, None)


def tool_call(entry: Document, key: Key) -> ToolCall:
    """One entry of `tool_calls`."""
    bodies = [name for name in ("function", "custom") if entry.get(name) is not None]
    kind = entry.get("type") or (bodies[0] if bodies else None)
    if bodies != [kind]:
        # One that this version does not know, or two in one: nobody can tell which the client runs.
        return ToolCall(key, _name(entry, kind), None)
    if kind == "function":
        return _of_function(entry["function"], key)
    body = as_object(entry["custom"], "custom", *BODY)
    text = body.get("input")
    return ToolCall(key, _name(body), {"input": text} if isinstance(text, str) else None)


def _of_function(value: object, key: Key) -> ToolCall:
    body = as_object(value, "a function call", *BODY)
    raw = body.get("arguments")
    return ToolCall(key, _name(body), raw if isinstance(raw, str | dict) else None)


def _name(body: Document, otherwise: object = None) -> str:
    name = body.get("name") or otherwise
    return name if isinstance(name, str) and name else NAMELESS


def rewritten(entry: Document, edit: Rewrite) -> Document:
    """An entry of `tool_calls` with other arguments."""
    if entry.get("function") is not None:
        return {**entry, "function": rewritten_function(entry["function"], edit)}
    return {**entry, "custom": {**entry["custom"], "input": edit.arguments["input"]}}


def rewritten_function(function: Document, edit: Rewrite) -> Document:
    return {**function, "arguments": json.dumps(edit.arguments)}


def edited_message(message: Document, choice: int, edits: Mapping[Any, Note | Rewrite]) -> Document:
    """The message with its edits done; without a key of calls once there are none."""
    left = dict(message)
    notes: list[str] = []
    for key in call_keys(message):
        if key == TOOL_CALLS:
            entries = [
                rewritten(entry, edit) if isinstance(edit, Rewrite) else entry
                for position, entry in enumerate(message[key])
                for edit in [edits.get((choice, key, position))]
                if not _noted(edit, notes)
            ]
            left[key] = entries
        else:
            edit = edits.get((choice, key, 0))
            left[key] = rewritten_function(message[key], edit) if isinstance(edit, Rewrite) else message[key]
            if _noted(edit, notes):
                left[key] = None
        if not left[key]:
            del left[key]
    return with_text(left, notes)


def _noted(edit: Note | Rewrite | None, notes: list[str]) -> bool:
    if not isinstance(edit, Note):
        return False
    notes.append(edit.text)
    return True


def with_text(message: Document, notes: list[str]) -> Document:
    """The message with `notes` behind its text."""
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, *({"type": "text", "text": note} for note in notes)]}
    texts = [content] if isinstance(content, str) and content else []
    return {**message, "content": "\n\n".join([*texts, *notes])} if notes else message


def finished(reason: object) -> object:
    """The finish reason of a choice that has no call left."""
    return "stop" if reason in ("tool_calls", "function_call") else reason


def as_history(message: Document) -> Document:
    """The message as a request takes it back: without what only answers have, and with arguments that are
    JSON."""
    left = {key: value for key, value in message.items() if value is not None and key != "annotations"}
    if isinstance(left.get("audio"), dict):
        left["audio"] = {"id": left["audio"].get("id")}
    if TOOL_CALLS in left:
        left[TOOL_CALLS] = [_readable(entry) for entry in left[TOOL_CALLS]]
    if FUNCTION_CALL in left:
        left[FUNCTION_CALL] = _readable_function(left[FUNCTION_CALL])
    return {"role": "assistant", **left}


def _readable(entry: Document) -> Document:
    body = entry.get("function")
    return entry if body is None else {**entry, "function": _readable_function(body)}


def _readable_function(function: Document) -> Document:
    found = arguments_of(function.get("arguments"))
    return {**function, "arguments": "{}"} if isinstance(found, Malformed) else function
