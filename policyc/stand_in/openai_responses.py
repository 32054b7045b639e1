"""OpenAI responses. https://platform.openai.com/docs/api-reference/responses-streaming"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from policyc.stand_in.frames import Steps, encode, named
from policyc.stand_in.received import Received
from policyc.stand_in.script import Cut, Item, Pause, Text, Thought, ToolCall, Turn, pieces

_CREATED = 1_780_000_000
_DETAILS = {"input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}}
#: What an item has not got yet when it is added.
_STARTED: dict[type, dict[str, Any]] = {Text: {"content": []}, ToolCall: {"arguments": ""}}

Event = dict[str, Any]


def whole(turn: Turn, received: Received) -> bytes:
    """The answer in one piece."""
    return encode(_completed(turn, received))


def stream(turn: Turn, received: Received) -> Steps:
    """The answer as events, numbered one after the other."""
    for number, event in enumerate(_events(turn, received)):
        yield event if isinstance(event, Pause | Cut) else named({**event, "sequence_number": number})


def results(document: dict[str, Any]) -> list[str]:
    """What the model is told about its last calls."""
    told: list[str] = []
    items = document["input"] if isinstance(document["input"], list) else []
    for item in items:
        if str(item.get("type", "")).endswith("_call_output"):
            told.append(item["output"] if isinstance(item["output"], str) else str(item["output"]))
        elif item.get("role") == "assistant" or str(item.get("type", "")).endswith("_call"):
            told = []
    return told


def error(status: int, message: str) -> bytes:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return encode({"error": {"message": message, "type": kind, "param": None, "code": None}})


def _events(turn: Turn, received: Received) -> Iterator[Event | Pause | Cut]:
    started = _response(turn, received)
    yield {"type": "response.created", "response": started}
    yield {"type": "response.in_progress", "response": started}
    index = 0
    for part in turn.parts:
        if isinstance(part, Pause | Cut):
            yield part
            continue
        for event in _item_events(part, _item(part, received, index)):
            yield {**event, "output_index": index}
        index += 1
    done = _completed(turn, received)
    yield {"type": f"response.{done['status']}", "response": done}


def _item_events(part: Text | Thought | ToolCall | Item, item: dict[str, Any]) -> Iterator[Event]:
    yield {"type": "response.output_item.added", "item": _empty(part, item)}
    place = {"item_id": item.get("id")}
    if isinstance(part, Text):
        for event in _text_events(part, item["content"][0]):
            yield {**event, **place, "content_index": 0}
    if isinstance(part, ToolCall):
        for piece in pieces(part.arguments, part.pieces):
            yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
        yield {"type": "response.function_call_arguments.done", **place, "arguments": part.arguments}
    yield {"type": "response.output_item.done", "item": item}


def _text_events(part: Text, content: dict[str, Any]) -> Iterator[Event]:
    yield {"type": "response.content_part.added", "part": content | {"text": ""}}
    for piece in pieces(part.text, part.pieces):
        yield {"type": "response.output_text.delta", "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", "text": part.text, "logprobs": []}
    yield {"type": "response.content_part.done", "part": content}


def _item(part: Text | Thought | ToolCall | Item, received: Received, index: int) -> dict[str, Any]:
    made = f"{received.number}_{index}"
    if isinstance(part, Item):
        return dict(part.document)
    if isinstance(part, Thought):
        return {"id": f"rs_{made}", "type": "reasoning", "summary": [], "encrypted_content": part.signature}
    if isinstance(part, Text):
        content = {"type": "output_text", "text": part.text, "annotations": [], "logprobs": []}
        message = {"type": "message", "role": "assistant", "status": "completed", "content": [content]}
        return {"id": f"msg_{made}", **message}
    named_call = {"call_id": part.id or f"call_{made}", "name": part.name, "arguments": part.arguments}
    return {"id": f"fc_{made}", "type": "function_call", "status": "completed", **named_call}


def _empty(part: Text | Thought | ToolCall | Item, item: dict[str, Any]) -> dict[str, Any]:
    progress = {"status": "in_progress"} if "status" in item else {}
    return item | progress | _STARTED.get(type(part), {})


def _response(turn: Turn, received: Received) -> dict[str, Any]:
    asked = received.document
    return {
        "id": f"resp_{received.number}",
        "object": "response",
        "created_at": _CREATED,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "instructions": asked.get("instructions"),
        "max_output_tokens": None,
        "model": turn.model or received.model,
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": asked.get("previous_response_id"),
        "store": asked.get("store", True),
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": asked.get("tools", []),
        "top_p": 1.0,
        "metadata": {},
    }


def _completed(turn: Turn, received: Received) -> dict[str, Any]:
    output = [_item(part, received, index) for index, part in enumerate(turn.content)]
    usage = {
        "input_tokens": turn.input_tokens,
        "output_tokens": turn.output_tokens,
        "total_tokens": turn.input_tokens + turn.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        **_DETAILS,
    }
    return _response(turn, received) | {
        "status": turn.stop or "completed",
        "output": output,
        "usage": usage,
    }
