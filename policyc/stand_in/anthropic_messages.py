"""Anthropic messages. https://docs.anthropic.com/en/docs/build-with-claude/streaming"""

from __future__ import annotations

from typing import Any

import msgspec

from policyc.stand_in.frames import Steps, encode, named
from policyc.stand_in.received import Received
from policyc.stand_in.script import Cut, Item, Pause, Text, Thought, ToolCall, Turn, pieces

#: What a block has not got yet when it starts.
_STARTED: dict[type, dict[str, Any]] = {
    Text: {"text": ""},
    Thought: {"thinking": "", "signature": ""},
    ToolCall: {"input": {}},
}
_ERRORS = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}


def whole(turn: Turn, received: Received) -> bytes:
    """The answer in one piece."""
    content = [_block(part, received, index) for index, part in enumerate(turn.content)]
    return encode(_head(turn, received) | {"content": content, "stop_reason": _stop(turn)})


def stream(turn: Turn, received: Received) -> Steps:
    """The answer as events."""
    head = _head(turn, received)
    started = head | {"usage": head["usage"] | {"output_tokens": 1}}
    yield named({"type": "message_start", "message": started})
    yield named({"type": "ping"})
    index = 0
    for part in turn.parts:
        if isinstance(part, Pause | Cut):
            yield part
            continue
        start = {
            "type": "content_block_start",
            "index": index,
            "content_block": _start(part, received, index),
        }
        yield named(start)
        for delta in _deltas(part):
            yield named({"type": "content_block_delta", "index": index, "delta": delta})
        yield named({"type": "content_block_stop", "index": index})
        index += 1
    stopped = {"stop_reason": _stop(turn), "stop_sequence": None}
    yield named({"type": "message_delta", "delta": stopped, "usage": {"output_tokens": turn.output_tokens}})
    yield named({"type": "message_stop"})


def results(document: dict[str, Any]) -> list[str]:
    """What the model is told about its last calls."""
    last = document["messages"][-1]["content"]
    blocks = [block for block in last if block["type"] == "tool_result"] if isinstance(last, list) else []
    return [_text(block.get("content", "")) for block in blocks]


def error(status: int, message: str) -> bytes:
    kind = _ERRORS.get(status, "api_error")
    return encode({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def _head(turn: Turn, received: Received) -> dict[str, Any]:
    return {
        "id": f"msg_{received.number}",
        "type": "message",
        "role": "assistant",
        "model": turn.model or received.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": turn.input_tokens, "output_tokens": turn.output_tokens},
    }


def _block(part: Text | Thought | ToolCall | Item, received: Received, index: int) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Thought):
        return {"type": "thinking", "thinking": part.text, "signature": part.signature}
    if isinstance(part, Item):
        return dict(part.document)
    made = part.id or f"toolu_{received.number}_{index}"
    return {"type": "tool_use", "id": made, "name": part.name, "input": msgspec.Raw(part.arguments.encode())}


def _start(part: Text | Thought | ToolCall | Item, received: Received, index: int) -> dict[str, Any]:
    return _block(part, received, index) | _STARTED.get(type(part), {})


def _deltas(part: Text | Thought | ToolCall | Item) -> list[dict[str, Any]]:
    if isinstance(part, Text):
        return [{"type": "text_delta", "text": piece} for piece in pieces(part.text, part.pieces)]
    if isinstance(part, Thought):
        thinking = {"type": "thinking_delta", "thinking": part.text}
        return [thinking, {"type": "signature_delta", "signature": part.signature}]
    if isinstance(part, Item):
        return []
    split = ["", *pieces(part.arguments, part.pieces)]
    return [{"type": "input_json_delta", "partial_json": piece} for piece in split]


def _stop(turn: Turn) -> str:
    return turn.stop or ("tool_use" if turn.calls else "end_turn")
