"""OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from policyc_server.gateway.documents import write_answer
from policyc_server.gateway.sse import write_event
from policyc_server.gateway.vendors.openai_chat_calls import (
    FUNCTION_CALL,
    TOOL_CALLS,
    as_history,
    call_keys,
    calls_of,
    edited_message,
    finished,
)
from policyc_server.gateway.vendors.openai_chat_stream import ChatStream, usage_of
from policyc_server.gateway.vendors.shapes import as_list, as_object
from policyc_server.gateway.vendors.vendor import (
    NAMELESS,
    Answer,
    Api,
    Document,
    Edit,
    Stream,
    Tool,
    Unreadable,
)

_WEB_SEARCH = "web_search"
_KINDS = ("function", "custom")


class ChatCompletions(Api):
    def tools(self, request: Document) -> list[Tool]:
        found = [_tool(as_object(entry, "a tool")) for entry in as_list(request.get("tools"), "tools")]
        functions = as_list(request.get("functions"), "functions")
        found += [Tool(_name(as_object(entry, "a function"))) for entry in functions]
        if request.get("web_search_options") is not None:
            found.append(Tool(_WEB_SEARCH, is_hosted=True))
        return found

    def without(self, request: Document, names: frozenset[str]) -> Document:
        left = dict(request)
        if _WEB_SEARCH in names:
            left.pop("web_search_options", None)
        _keep(left, "tools", [tool for tool in request.get("tools") or () if _tool(tool).name not in names])
        _keep(left, "functions", [one for one in request.get("functions") or () if _name(one) not in names])
        if "tools" not in left:
            left.pop("tool_choice", None)
            left.pop("parallel_tool_calls", None)
        if "functions" not in left:
            left.pop("function_call", None)
        return _loosened(left, names)

    def model(self, request: Document, segments: tuple[str, ...]) -> str:
        model = request.get("model")
        return model if isinstance(model, str) else ""

    def outgoing(self, request: Document, *, is_metered: bool) -> Document:
        options = as_object(request.get("stream_options") or {}, "stream_options")
        if not is_metered or not request.get("stream"):
            return request
        return {**request, "stream_options": {**options, "include_usage": True}}

    def read(self, answer: Any) -> Answer:
        document = as_object(answer, "the answer", "choices")
        choices = [
            as_object(one, "a choice", "message", "delta")
            for one in as_list(document.get("choices"), "choices")
        ]
        if any(call_keys(as_object(choice.get("delta") or {}, "a delta")) for choice in choices):
            raise Unreadable("a whole answer has a delta with calls")
        messages = [as_object(choice.get("message") or {}, "a message") for choice in choices]
        calls = [call for number, message in enumerate(messages) for call in calls_of(message, number)]
        is_known = all(call.key[1] in (TOOL_CALLS, FUNCTION_CALL) for call in calls)
        return Answer(tuple(calls), usage_of(document), is_single=len(choices) == 1 and is_known)

    def edited(self, answer: Any, edits: Mapping[Hashable, Edit]) -> Any:
        choices = [_edited_choice(choice, number, edits) for number, choice in enumerate(answer["choices"])]
        return {**answer, "choices": choices}

    def continued(self, request: Document, answer: Any, errors: Mapping[Hashable, str]) -> Document:
        message = answer["choices"][0]["message"]
        turn = [as_history(message), *(_result(message, key, text) for key, text in errors.items())]
        left = {**request, "messages": [*as_list(request.get("messages"), "messages"), *turn]}
        for key in ("tool_choice", "function_call"):
            if isinstance(left.get(key), dict) or left.get(key) == "required":
                del left[key]
        return left

    def stream(self, request: Document, *, is_metered: bool) -> Stream:
        wants_usage = (request.get("stream_options") or {}).get("include_usage") is True
        choices = request.get("n")
        return ChatStream(
            choices if isinstance(choices, int) else 1, hides_usage=is_metered and not wants_usage
        )

    def stream_error(self, code: str, message: str) -> bytes:
        error = {"message": message, "type": "server_error", "param": None, "code": code}
        return write_event(write_answer({"error": error}).decode())


def _tool(entry: Document) -> Tool:
    kind = entry.get("type")
    if kind in _KINDS:
        return Tool(_name(as_object(entry.get(kind), f"a tool of type {kind}")))
    # Not of this version: whoever runs it, it may be the vendor.
    return Tool(entry.get("name") or str(kind), is_hosted=True)


def _name(entry: Document) -> str:
    name = entry.get("name")
    return name if isinstance(name, str) and name else NAMELESS


def _keep(request: Document, key: str, entries: list[Document]) -> None:
    if entries:
        request[key] = entries
    else:
        request.pop(key, None)


def _loosened(request: Document, names: frozenset[str]) -> Document:
    """The request without choices of tools that are gone."""
    choice = request.get("tool_choice")
    if isinstance(choice, dict):
        if choice.get("type") == "allowed_tools":
            allowed = as_object(choice.get("allowed_tools"), "allowed_tools")
            entries = [as_object(entry, "a tool") for entry in as_list(allowed.get("tools"), "tools")]
            tools = [entry for entry in entries if _tool(entry).name not in names]
            request["tool_choice"] = {**choice, "allowed_tools": {**allowed, "tools": tools}}
            if not tools:
                del request["tool_choice"]
        elif _tool(choice).name in names:
            del request["tool_choice"]
    choice = request.get("function_call")
    if isinstance(choice, dict) and _name(choice) in names:
        del request["function_call"]
    return request


def _edited_choice(choice: Document, number: int, edits: Mapping[Hashable, Edit]) -> Document:
    message = choice.get("message") or {}
    edited = edited_message(message, number, edits)
    if call_keys(edited) or not call_keys(message):
        return {**choice, "message": edited}
    return {**choice, "message": edited, "finish_reason": finished(choice.get("finish_reason"))}


def _result(message: Document, key: Any, text: str) -> Document:
    _choice, where, position = key
    if where == FUNCTION_CALL:
        return {"role": "function", "name": _name(message[where]), "content": text}
    return {"role": "tool", "tool_call_id": message[where][position].get("id"), "content": text}
