"""OpenAI chat completions. https://platform.openai.com/docs/api-reference/chat-streaming"""

from __future__ import annotations

from typing import Any

from policyc.stand_in.frames import Steps, data, encode
from policyc.stand_in.received import Received
from policyc.stand_in.script import Cut, Item, Pause, Text, ToolCall, Turn, pieces

_CREATED = 1_780_000_000


def whole(turn: Turn, received: Received) -> bytes:
    """The answer in one piece."""
    choice = {
        "index": 0,
        "message": _message(turn, received),
        "logprobs": None,
        "finish_reason": _finish(turn),
    }
    return encode(_head(turn, received, "chat.completion") | {"choices": [choice], "usage": _usage(turn)})


def stream(turn: Turn, received: Received) -> Steps:
    """The answer as events."""
    head = _head(turn, received, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return data(
            head | {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}
        )

    yield chunk({"role": "assistant", "content": "" if not turn.calls else None, "refusal": None})
    index = -1
    for part in turn.parts:
        if isinstance(part, Pause | Cut):
            yield part
        elif isinstance(part, Text):
            for piece in pieces(part.text, part.pieces):
                yield chunk({"content": piece})
        elif isinstance(part, ToolCall | Item):
            index += 1
            for delta in _call_deltas(part, index, received):
                yield chunk({"tool_calls": [{"index": index, **delta}]})
    yield chunk({}, _finish(turn))
    if (received.document.get("stream_options") or {}).get("include_usage"):
        yield data(head | {"choices": [], "usage": _usage(turn)})
    yield b"data: [DONE]\n\n"


def results(document: dict[str, Any]) -> list[str]:
    """What the model is told about its last calls."""
    told: list[str] = []
    for message in document["messages"]:
        if message["role"] == "assistant":
            told = []
        elif message["role"] == "tool":
            told.append(str(message["content"]))
    return told


def error(status: int, message: str) -> bytes:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return encode({"error": {"message": message, "type": kind, "param": None, "code": None}})


def _head(turn: Turn, received: Received, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{received.number}",
        "object": kind,
        "created": _CREATED,
        "model": turn.model or received.model,
        "service_tier": "default",
        "system_fingerprint": "fp_stand_in",
    }


def _message(turn: Turn, received: Received) -> dict[str, Any]:
    text = "".join(part.text for part in turn.parts if isinstance(part, Text))
    message: dict[str, Any] = {"role": "assistant", "content": text or None, "refusal": None}
    calls = [part for part in turn.parts if isinstance(part, ToolCall | Item)]
    if calls:
        message["tool_calls"] = [_call(call, index, received) for index, call in enumerate(calls)]
    return message


def _call(call: ToolCall | Item, index: int, received: Received) -> dict[str, Any]:
    if isinstance(call, Item):
        return dict(call.document)
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id or f"call_{received.number}_{index}", "type": "function", "function": function}


def _call_deltas(call: ToolCall | Item, index: int, received: Received) -> list[dict[str, Any]]:
    if isinstance(call, Item):
        return [dict(call.document)]
    whole = _call(call, index, received)
    first = whole | {"function": whole["function"] | {"arguments": ""}}
    return [first, *({"function": {"arguments": piece}} for piece in pieces(call.arguments, call.pieces))]


def _finish(turn: Turn) -> str:
    calls = any(isinstance(part, ToolCall | Item) for part in turn.parts)
    return turn.stop or ("tool_calls" if calls else "stop")


def _usage(turn: Turn) -> dict[str, Any]:
    return {
        "prompt_tokens": turn.input_tokens,
        "completion_tokens": turn.output_tokens,
        "total_tokens": turn.input_tokens + turn.output_tokens,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
