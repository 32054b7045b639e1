"""OpenAI responses. https://platform.openai.com/docs/api-reference/responses"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from policyc.engine.documents import Malformed
from policyc_server.gateway.documents import arguments_of, write_answer
from policyc_server.gateway.sse import write_event
from policyc_server.gateway.vendors.responses_calls import call_of, kind_of
from policyc_server.gateway.vendors.responses_chain import Chain, input_items
from policyc_server.gateway.vendors.responses_edits import results, with_edits
from policyc_server.gateway.vendors.responses_stream import ResponsesStream
from policyc_server.gateway.vendors.responses_tools import advertised, without
from policyc_server.gateway.vendors.responses_usage import usage_of
from policyc_server.gateway.vendors.shapes import as_list, as_object
from policyc_server.gateway.vendors.vendor import Answer, Api, Document, Edit, Stream, Tool, Unreadable

#: Calls that keep their meaning without the id of their item, which names what the vendor may not have kept.
_WITHOUT_ID = frozenset({"function_call", "custom_tool_call"})


class Responses(Api):
    """`POST /v1/responses`."""

    def __init__(self) -> None:
        self._chain = Chain()

    def tools(self, request: Document) -> list[Tool]:
        if request.get("background"):
            raise Unreadable(
                "an answer in the background is fetched later, where its calls cannot be stopped"
            )
        return advertised(request)

    def without(self, request: Document, names: frozenset[str]) -> Document:
        return without(request, names)

    def model(self, request: Document, segments: tuple[str, ...]) -> str:
        return str(request.get("model") or "")

    def outgoing(self, request: Document, *, is_metered: bool) -> Document:
        resumed = self._chain.resumed(request)
        if resumed.get("conversation") is None or not resumed.get("tools"):
            return resumed
        # A conversation is kept by the vendor alone: a call of it that is blocked has to be answered at once,
        # which a turn with other calls beside it does not allow.
        return {**resumed, "parallel_tool_calls": False}

    def read(self, answer: Any) -> Answer:
        document = as_object(answer, "the answer", "output")
        calls = [call for key, item in enumerate(_output(document)) if (call := call_of(item, key))]
        return Answer(tuple(calls), usage_of(document))

    def edited(self, answer: Any, edits: Mapping[Hashable, Edit]) -> Any:
        output = _output(answer)
        if is_stored(answer):
            waiting = results(dict(enumerate(output)), edits)
            self._chain.remember(answer["id"], answer["id"], waiting)
        return {**answer, "output": with_edits(output, edits)}

    def continued(self, request: Document, answer: Any, errors: Mapping[Hashable, str]) -> Document:
        output = _output(answer)
        told = [
            item
            for key, text in errors.items()
            for item in (kind_of(output[key]).refused or _nothing)(output[key], text)  # type: ignore[call-overload]
        ]
        loosened = _loosened(request)
        if request.get("conversation") is not None:
            return {**loosened, "input": told}
        if is_stored(answer):
            return {**loosened, "input": told, "previous_response_id": answer["id"]}
        turn = [_resent(item) for item in output if _can_be_resent(item)]
        return {**loosened, "input": [*input_items(request), *turn, *told]}

    def stream(self, request: Document, *, is_metered: bool) -> Stream:
        return ResponsesStream(self._chain)

    def stream_error(self, code: str, message: str) -> bytes:
        error = {"code": code, "message": message, "param": None}
        # Its clients tell an error by the key `error`, and other readers by the type.
        event = {"type": "error", **error, "sequence_number": 0, "error": error}
        return write_event(write_answer(event).decode(), "error")


def is_stored(answer: Document) -> bool:
    """Whether the vendor keeps the answer, so that its id stands for it."""
    return answer.get("store") is True and isinstance(answer.get("id"), str)


def _output(answer: Document) -> list[Document]:
    return [as_object(item, "an output item") for item in as_list(answer.get("output"), "the output")]


def _nothing(_item: Document, _text: str) -> list[Document]:
    return []


def _loosened(request: Document) -> Document:
    """The request without a tool choice that forces a call."""
    choice = request.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") == "allowed_tools":
        return {**request, "tool_choice": {**choice, "mode": "auto"}}
    forces = isinstance(choice, dict) or choice == "required"
    return {key: value for key, value in request.items() if not (forces and key == "tool_choice")}


def _can_be_resent(item: Document) -> bool:
    # Reasoning that the vendor has not kept is known only by its encrypted form.
    return item.get("type") != "reasoning" or isinstance(item.get("encrypted_content"), str)


def _resent(item: Document) -> Document:
    """An output item as an item of the next input."""
    if item.get("type") not in _WITHOUT_ID:
        return item
    kept = {key: value for key, value in item.items() if key != "id"}
    is_malformed = isinstance(arguments_of(kept.get("arguments", "{}")), Malformed)
    return {**kept, "arguments": "{}"} if is_malformed else kept
