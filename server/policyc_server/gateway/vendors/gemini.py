"""Google's Gemini API. https://ai.google.dev/api"""

from __future__ import annotations

from collections.abc import Mapping

from policyc_server.gateway.vendors.gemini_generate import Generate
from policyc_server.gateway.vendors.routes import foreign
from policyc_server.gateway.vendors.vendor import Api, Closed, Document, Vendor

_GENERATE = frozenset({"generatecontent", "streamgeneratecontent"})
_LATER = "it answers later, where no call can be stopped"
_ELSEWHERE = "calls of the model come out of it in a form that is not inspected: use generateContent"
_TOKENS = "its token opens live sessions past the gateway"
#: By any segment: versions, projects and an operator's paths stand before it.
_CLOSED = {
    "interactions": _ELSEWHERE,
    "openai": "it is OpenAI's API: name it as an upstream of that kind",
    "openapi": "it is OpenAI's API: name it as an upstream of that kind",
    "batch": "it holds requests of any kind in one",
    "batches": _LATER,
    "batchpredictionjobs": _LATER,
    "agents": "the vendor runs the agent there, and its calls do not pass here",
    "reasoningengines": "the vendor runs the agent there, and its calls do not pass here",
    "auth_tokens": _TOKENS,
    "authtokens": _TOKENS,
    "triggers": "the vendor runs the agent there, and its calls do not pass here",
}
#: By the method behind the colon.
_CLOSED_METHODS = {
    "batchgeneratecontent": _LATER,
    "asyncbatchgeneratecontent": _LATER,
    "bidigeneratecontent": _ELSEWHERE,
    "rawpredict": _ELSEWHERE,
    "streamrawpredict": _ELSEWHERE,
}
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


class Gemini(Vendor):
    kind = "gemini"
    credential_parameters = ("key", "access_token")

    def __init__(self) -> None:
        self._generate = Generate()

    def client_secret(self, headers: Mapping[bytes, bytes], query: Mapping[str, str]) -> str | None:
        key = headers.get(b"x-goog-api-key")
        if key is not None:
            return key.decode("latin-1")
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else query.get("key")

    def credential(self, secret: str) -> tuple[bytes, bytes]:
        return b"x-goog-api-key", secret.encode("latin-1")

    def route(self, method: str, segments: tuple[str, ...]) -> Api | Closed | None:
        path = tuple(segment.lower() for segment in segments)
        called = path[-1].rpartition(":")[2]
        if called in _GENERATE and ":" in path[-1]:
            return self._generate if method == "POST" else Closed("it answers to POST")
        closed = (_CLOSED[segment] for segment in path if segment in _CLOSED)
        why = _CLOSED_METHODS.get(called) or next(closed, None)
        if why is None:
            return None if method == "GET" else foreign(path)
        return Closed(why)

    def error(self, status: int, code: str, message: str, metadata: Mapping[str, object] | None) -> Document:
        error: Document = {"code": status, "message": message, "status": _STATUS.get(status, "INTERNAL")}
        detail: Document = {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": code,
            "domain": "policyc",
        }
        if metadata is not None:
            detail["metadata"] = dict(metadata)
        return {"error": {**error, "details": [detail]}}
