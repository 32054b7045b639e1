"""JSON-RPC messages between an MCP client and its server, read so that both sides read the same.

Servers differ in what they make of a key that appears twice, of `Method` beside `method`, or of a line end
inside of a message. A message that two of them read differently is one that was never judged, so it is
refused, or passed on as it was read. https://modelcontextprotocol.io/specification
"""

from __future__ import annotations

from typing import Any

from mcp_types import INVALID_PARAMS, INVALID_REQUEST, JSONRPC_VERSION, PARSE_ERROR

from policyc.engine.documents import Malformed, dump, parse

CALL = "tools/call"
_ENVELOPE = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_CALL_PARAMS = frozenset({"name", "arguments", "_meta", "task", "inputResponses", "requestState"})
_ENDS = frozenset({"result", "error"})


class Refused(ValueError):
    """A message that is not passed on. ``code`` and ``data`` are JSON-RPC's, ``id`` is the request's."""

    def __init__(self, code: int, message: str, request: object = None, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = request if _is_id(request) else None
        self.data = data


class Message:
    """One message. ``document`` is what it says, ``text`` what to pass on: one line, without its end."""

    __slots__ = ("document", "text")

    def __init__(self, document: dict[str, Any], text: str) -> None:
        self.document = document
        self.text = text

    @property
    def id(self) -> object:
        """None of a notification."""
        return self.document.get("id")

    @property
    def method(self) -> str | None:
        """None of a response."""
        method: str | None = self.document.get("method")
        return method

    @property
    def is_request(self) -> bool:
        return self.method is not None and "id" in self.document


def read_message(raw: bytes) -> Message:
    """The one message in ``raw``. Raises Refused."""
    try:
        document = parse(raw)
    except Malformed as error:
        raise Refused(PARSE_ERROR, f"the message is not one JSON document: {error.message}") from None
    if not isinstance(document, dict):
        raise Refused(INVALID_REQUEST, "a message is one JSON object; batches are refused")
    problem = _problem(document)
    if problem is not None:
        raise Refused(INVALID_REQUEST, problem, document.get("id"))
    return Message(document, _as_read(raw, document))


def written(document: dict[str, Any]) -> Message:
    """A message of our own."""
    return Message(document, dump(document))


def error_message(error: Refused) -> dict[str, Any]:
    """The JSON-RPC error that answers a refused message."""
    found = failure(error.id, error.code, error.message)
    if error.data is not None:
        found["error"]["data"] = error.data
    return found


def failure(request: object, code: int, message: str) -> dict[str, Any]:
    """The JSON-RPC error that answers the request of this id."""
    return {"jsonrpc": JSONRPC_VERSION, "id": request, "error": {"code": code, "message": message}}


def success(request: object, result: dict[str, Any]) -> dict[str, Any]:
    """The JSON-RPC response that answers the request of this id."""
    return {"jsonrpc": JSONRPC_VERSION, "id": request, "result": result}


def called(message: Message) -> tuple[str, dict[str, Any]] | None:
    """The tool and the arguments of a `tools/call`; None of every other message. Raises Refused."""
    method = message.method
    if method != CALL:
        if method is not None and method.casefold() == CALL:
            raise Refused(INVALID_REQUEST, f"the method is spelt {CALL}", message.id)
        return None
    if not message.is_request:
        raise Refused(INVALID_REQUEST, "a tools/call without an id cannot be answered")
    params = message.document.get("params")
    if not isinstance(params, dict) or not isinstance(params.get("name"), str) or not params["name"]:
        raise Refused(INVALID_PARAMS, "a tools/call names its tool in params.name", message.id)
    arguments = params.get("arguments")
    if not isinstance(arguments, dict | None):
        raise Refused(INVALID_PARAMS, "params.arguments is no object", message.id)
    if lookalike := _lookalike(params, _CALL_PARAMS):
        raise Refused(
            INVALID_PARAMS, f"params has {lookalike!r}, which some servers take for another key", message.id
        )
    return params["name"], arguments or {}


def with_arguments(message: Message, arguments: object) -> Message:
    """The same `tools/call` with other arguments."""
    document = message.document
    return written({**document, "params": {**document["params"], "arguments": arguments}})


def _problem(document: dict[str, Any]) -> str | None:
    if document.get("jsonrpc") != JSONRPC_VERSION:
        return 'jsonrpc is not "2.0"'
    if lookalike := _lookalike(document, _ENVELOPE):
        return f"{lookalike!r} is a key that some readers take for another"
    if "id" in document and not _is_id(document["id"]) and "error" not in document:
        return "id is neither a string nor a whole number"
    ends = _ENDS & document.keys()
    if "method" in document:
        if not isinstance(document["method"], str) or ends:
            return "a request has a method and no result or error"
        return None if isinstance(document.get("params"), dict | None) else "params is no object"
    return None if len(ends) == 1 and "id" in document else "it is no request, notification or response"


def _lookalike(document: dict[str, Any], known: frozenset[str]) -> str | None:
    """A key that a reader which ignores case takes for one that is ``known``, as Go's encoding/json does."""
    folded = {name.casefold() for name in known}
    return next((key for key in document if key not in known and key.casefold() in folded), None)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _as_read(raw: bytes, document: dict[str, Any]) -> str:
    """The text as it came, where every reader of lines and of escapes reads what was read here.

    A carriage return between two tokens is white space to JSON and the end of a line to some readers, so what
    stands between two of them would be a message of its own. An escape may be half of a surrogate pair.
    """
    text = raw.decode("utf-8-sig").strip(" \t\r\n")
    return dump(document) if "\r" in text or "\n" in text or "\\u" in text else text
