"""Anthropic's messages: https://docs.claude.com/en/api/messages"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from policyc_server.gateway.documents import write_answer
from policyc_server.gateway.sse import write_event
from policyc_server.gateway.vendors import anthropic_tools
from policyc_server.gateway.vendors.anthropic_blocks import (
    KEYS,
    TOOL_USE,
    answered,
    as_history,
    call_of,
    id_of,
    input_of,
    is_call,
    is_known,
)
from policyc_server.gateway.vendors.anthropic_stream import MessageStream, finished, usage_of
from policyc_server.gateway.vendors.shapes import as_list, as_object
from policyc_server.gateway.vendors.vendor import Answer, Api, Document, Edit, Note, Stream, Tool


class Messages(Api):
    def tools(self, request: Document) -> list[Tool]:
        return list(anthropic_tools.tools_of(request))

    def without(self, request: Document, names: frozenset[str]) -> Document:
        return anthropic_tools.without(request, names)

    def model(self, request: Document, segments: tuple[str, ...]) -> str:
        model = request.get("model")
        return model if isinstance(model, str) else ""

    def outgoing(self, request: Document, *, is_metered: bool) -> Document:
        return request

    def read(self, answer: Any) -> Answer:
        document = as_object(answer, "the answer", "content")
        blocks = [as_object(block, "a block", *KEYS) for block in as_list(document.get("content"), "content")]
        calls = [call_of(block, at, input_of(block)) for at, block in enumerate(blocks) if is_call(block)]
        return Answer(tuple(calls), usage_of(document.get("usage")), is_single=all(map(is_known, blocks)))

    def edited(self, answer: Any, edits: Mapping[Hashable, Edit]) -> Any:
        blocks = answer["content"]
        dropped = {id_of(blocks[at]) for at, edit in edits.items() if isinstance(edit, Note)} - {None}
        content = [
            _edited(block, edits.get(at)) for at, block in enumerate(blocks) if answered(block) not in dropped
        ]
        left = {**answer, "content": content}
        if not any(block.get("type") == TOOL_USE for block in content):
            left["stop_reason"] = finished(answer.get("stop_reason"))
        return left

    def continued(self, request: Document, answer: Any, errors: Mapping[Hashable, str]) -> Document:
        blocks = answer["content"]
        results = [
            {"type": "tool_result", "tool_use_id": blocks[at].get("id"), "is_error": True, "content": text}
            for at, text in errors.items()
        ]
        turn = [
            {"role": "assistant", "content": list(map(as_history, blocks))},
            {"role": "user", "content": results},
        ]
        left = {**request, "messages": [*as_list(request.get("messages"), "messages"), *turn]}
        choice = left.get("tool_choice")
        if isinstance(choice, dict) and choice.get("type") in ("any", "tool"):
            del left["tool_choice"]
        container = (answer.get("container") or {}).get("id")
        return left if container is None or left.get("container") else {**left, "container": container}

    def stream(self, request: Document, *, is_metered: bool) -> Stream:
        return MessageStream()

    def stream_error(self, code: str, message: str) -> bytes:
        error = {"type": "api_error", "message": message, "code": code}
        return write_event(write_answer({"type": "error", "error": error}).decode(), "error")


def _edited(block: Document, edit: Edit | None) -> Document:
    if edit is None:
        return block
    if isinstance(edit, Note):
        return {"type": "text", "text": edit.text}
    return {**block, "input": edit.arguments}
