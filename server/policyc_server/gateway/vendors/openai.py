"""OpenAI, and what speaks its API."""

from __future__ import annotations

from collections.abc import Mapping

from policyc_server.gateway.vendors.openai_chat import ChatCompletions
from policyc_server.gateway.vendors.openai_responses import Responses
from policyc_server.gateway.vendors.routes import Routes
from policyc_server.gateway.vendors.vendor import Api, Closed, Document, Vendor

_CHAT = ("chat", "completions")
_RESPONSES = ("responses",)
#: Below a path that is closed, and no answer of the model.
_PASSING = (("responses", "input_tokens"), ("responses", "compact"))
_STORED = "a stored answer may hold calls that were blocked"
_LATER = "it answers later or elsewhere, where no call can be stopped"
_AGENTS = "the vendor runs the agent there, and its calls do not pass here"
_CLOSED = (
    (("GET", "POST"), _CHAT, _STORED),
    (("GET", "POST"), _RESPONSES, _STORED),
    (("GET",), ("conversations",), _STORED),
    (("POST",), ("batches",), _LATER),
    (("GET", "POST"), ("threads",), _AGENTS),
    (("GET", "POST"), ("agents",), _AGENTS),
    (("GET", "POST"), ("chatkit",), _AGENTS),
    (("GET", "POST"), ("realtime",), _LATER),
    (("GET", "POST"), ("live",), _LATER),
    (("GET", "POST"), ("evals",), _AGENTS),
)
#: Status -> the `type` of the error.
_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error"}
_BEARER = "bearer "


class OpenAI(Vendor):
    kind = "openai"

    def __init__(self) -> None:
        self._routes = Routes({_CHAT: ChatCompletions(), _RESPONSES: Responses()}, _CLOSED, _PASSING)

    def client_secret(self, headers: Mapping[bytes, bytes], query: Mapping[str, str]) -> str | None:
        value = headers.get(b"authorization", b"").decode("latin-1")
        return value[len(_BEARER) :].strip() if value.lower().startswith(_BEARER) else None

    def credential(self, secret: str) -> tuple[bytes, bytes]:
        return b"authorization", f"Bearer {secret}".encode("latin-1")

    def route(self, method: str, segments: tuple[str, ...]) -> Api | Closed | None:
        return self._routes.find(method, segments)

    def error(self, status: int, code: str, message: str, metadata: Mapping[str, object] | None) -> Document:
        kind = _TYPES.get(status) or ("server_error" if status >= 500 else "invalid_request_error")
        body: Document = {"message": message, "type": kind, "param": None, "code": code}
        if metadata is not None:
            body |= {"metadata": dict(metadata), "skip_retry": True}
        return {"error": body}
