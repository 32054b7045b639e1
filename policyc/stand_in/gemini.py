"""Gemini generateContent and streamGenerateContent. https://ai.google.dev/api/generate-content"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from policyc.stand_in.frames import Step, Steps, encode
from policyc.stand_in.received import Received
from policyc.stand_in.script import Cut, Item, Pause, Text, Thought, ToolCall, Turn, pieces

_STATUS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


def whole(turn: Turn, received: Received) -> bytes:
    """The answer in one piece."""
    return encode(_document(turn, received, [_part(part) for part in turn.content], is_last=True))


def stream(turn: Turn, received: Received) -> Steps:
    """The answer as events where `alt=sse` asks for them, else as one JSON array."""
    steps = _steps(turn, received)
    if "alt=sse" in received.query.split("&"):
        for step in steps:
            yield b"data: " + step + b"\r\n\r\n" if isinstance(step, bytes) else step
    else:
        yield from _array(steps)


def results(document: dict[str, Any]) -> list[str]:
    """What the model is told about its last calls."""
    parts = document["contents"][-1]["parts"]
    return [str(part["functionResponse"]["response"]) for part in parts if "functionResponse" in part]


def error(status: int, message: str) -> bytes:
    return encode({"error": {"code": status, "message": message, "status": _STATUS.get(status, "INTERNAL")}})


def _array(steps: Iterator[Step]) -> Steps:
    yield b"["
    separator = b""
    for step in steps:
        if isinstance(step, bytes):
            yield separator + step
            separator = b"\n,\r\n"
        else:
            yield step
    yield b"]\n"


def _steps(turn: Turn, received: Received) -> Iterator[Step]:
    for part in turn.parts:
        if isinstance(part, Pause | Cut):
            yield part
            continue
        split = (
            [Text(piece) for piece in pieces(part.text, part.pieces)] if isinstance(part, Text) else [part]
        )
        for piece in split:
            yield encode(_document(turn, received, [_part(piece)]))
    yield encode(_document(turn, received, [{"text": ""}], is_last=True))


def _document(
    turn: Turn, received: Received, parts: list[dict[str, Any]], *, is_last: bool = False
) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}}
    if is_last:
        candidate["finishReason"] = turn.stop or "STOP"
    usage = {
        "promptTokenCount": turn.input_tokens,
        "candidatesTokenCount": turn.output_tokens,
        "totalTokenCount": turn.input_tokens + turn.output_tokens,
    }
    return {
        "candidates": [candidate | {"index": 0}],
        "usageMetadata": usage,
        "modelVersion": turn.model or received.model,
        "responseId": f"r{received.number}",
    }


def _part(part: Text | Thought | ToolCall | Item) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"text": part.text}
    if isinstance(part, Thought):
        return {"text": part.text, "thought": True, "thoughtSignature": part.signature}
    if isinstance(part, Item):
        return dict(part.document)
    called: dict[str, Any] = {"name": part.name, "args": msgspec.Raw(part.arguments.encode())}
    identified = called if part.id is None else {"id": part.id, **called}
    signed = {} if part.signature is None else {"thoughtSignature": part.signature}
    return {"functionCall": identified, **signed}
