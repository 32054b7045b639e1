"""The errors of the API as values, and the one shape they are written in."""

from __future__ import annotations

from collections.abc import Mapping

from policyc.engine.calls import CallError
from policyc.engine.documents import Malformed

#: Status -> the `type` that clients of LLM APIs already sort errors by.
_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error"}


class ApiError(Exception):
    """A request that is refused. `code` comes from a closed set, since it labels a metric."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        path: str | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
        metadata: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.path = path
        self.headers = headers
        self.metadata = metadata


class ClientGone(Exception):
    """The client left before its request was complete: nobody to answer."""


def error_document(error: ApiError) -> dict[str, dict[str, object]]:
    """The body of every error off the hook routes."""
    kind = _TYPES.get(error.status) or ("server_error" if error.status >= 500 else "invalid_request_error")
    body: dict[str, object] = {"code": error.code, "type": kind, "message": error.message}
    if error.path is not None:
        body["path"] = error.path
    if error.metadata is not None:
        body["metadata"] = error.metadata
    return {"error": body}


def late(deadline: float) -> ApiError:
    """A decision that was not there in time, so that none stands."""
    return ApiError(408, "timeout", f"the decision took longer than {deadline:g} s")


def malformed(error: Malformed) -> ApiError:
    """Text that is not JSON."""
    return ApiError(400, error.code, f"the body is not one JSON document: {error.message}")


def wrong_call(error: CallError, position: int | None = None) -> ApiError:
    """JSON that is not a call; `position` is its index in a list of calls."""
    path = error.path if position is None else f"$[{position}]{error.path[1:]}"
    return ApiError(422, "invalid_call", f"{path} {error.message}", path=path)


def not_found(path: str) -> ApiError:
    return ApiError(404, "not_found", f"there is no {path[:200]}; /openapi.json lists what there is")


def wrong_method(allowed: str) -> ApiError:
    return ApiError(
        405, "method_not_allowed", f"use {allowed} here", headers=((b"allow", allowed.encode("ascii")),)
    )
