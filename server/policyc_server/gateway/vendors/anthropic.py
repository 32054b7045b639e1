"""Anthropic."""

from __future__ import annotations

from collections.abc import Mapping

from policyc_server.gateway.vendors.anthropic_messages import Messages
from policyc_server.gateway.vendors.routes import Routes
from policyc_server.gateway.vendors.vendor import Api, Closed, Document, Vendor

_MESSAGES = ("messages",)
_LATER = "a batch answers later, where no call can be stopped"
_AGENTS = "the vendor runs the agent there, and its calls do not pass here"
_CLOSED = (
    (("GET", "POST"), ("messages", "batches"), _LATER),
    (("GET", "POST"), ("sessions",), _AGENTS),
    (("GET", "POST"), ("deployments",), _AGENTS),
    (("GET", "POST"), ("deployment_runs",), _AGENTS),
    (("GET", "POST"), ("environments",), _AGENTS),
)
#: Status -> the `type` of the error; https://docs.claude.com/en/api/errors
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    504: "timeout_error",
}
_BEARER = "bearer "


class Anthropic(Vendor):
    kind = "anthropic"

    def __init__(self) -> None:
        self._routes = Routes({_MESSAGES: Messages()}, _CLOSED)

    def client_secret(self, headers: Mapping[bytes, bytes], query: Mapping[str, str]) -> str | None:
        key = headers.get(b"x-api-key")
        if key is not None:
            return key.decode("latin-1")
        value = headers.get(b"authorization", b"").decode("latin-1")
        return value[len(_BEARER) :].strip() if value.lower().startswith(_BEARER) else None

    def credential(self, secret: str) -> tuple[bytes, bytes]:
        return b"x-api-key", secret.encode("latin-1")

    def route(self, method: str, segments: tuple[str, ...]) -> Api | Closed | None:
        return self._routes.find(method, segments)

    def error(self, status: int, code: str, message: str, metadata: Mapping[str, object] | None) -> Document:
        kind = _TYPES.get(status) or ("api_error" if status >= 500 else "invalid_request_error")
        error: Document = {"type": kind, "message": message, "code": code}
        if metadata is not None:
            error |= {"metadata": dict(metadata), "skip_retry": True}
        return {"type": "error", "error": error}
