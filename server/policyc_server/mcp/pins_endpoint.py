"""Accepted tools over HTTP, for admins: `GET /v1/mcp/pins`, `POST /v1/mcp/pins/accept`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policyc_server.answers import encode
from policyc_server.auth.identity import identity_of
from policyc_server.bodies import read_body, read_json
from policyc_server.clock import microseconds
from policyc_server.errors import ApiError
from policyc_server.settings import Settings
from policyc_server.store.mcp_tools import McpToolStore
from policyc_server.store.reading import reading

_KEYS = ("server", "tool", "fingerprint")


class PinsEndpoint:
    """Reads and accepts what is in the store."""

    def __init__(self, store: McpToolStore, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def routes(self) -> list[Route]:
        return [
            Route("/v1/mcp/pins", self.show, methods=["GET"]),
            Route("/v1/mcp/pins/accept", self.accept, methods=["POST"]),
        ]

    async def show(self, _request: Request) -> Response:
        pins = await reading(self._store.all)
        return Response(encode({"pins": [pin.document() for pin in pins]}), media_type="application/json")

    async def accept(self, request: Request) -> Response:
        """Accepts a tool as what has the fingerprint that the admin saw."""
        settings = self._settings
        body = await read_body(
            request.scope, request.receive, limit=settings.body_limit, deadline=settings.deadline
        )
        server, tool, fingerprint = _read(read_json(body))
        identity = identity_of(request.scope)
        by = "local" if identity is None else identity.key
        if not await reading(self._store.accept, server, tool, fingerprint, by, microseconds()):
            said = f"{server} has no changed tool {tool!r} of this fingerprint"
            raise ApiError(409, "pin_unknown", said[:500])
        pin = await reading(self._store.get, server, tool)
        return Response(encode(pin.document()), media_type="application/json")


def _read(document: object) -> tuple[str, ...]:
    if not isinstance(document, dict) or set(document) != set(_KEYS):
        raise ApiError(422, "invalid_pin", f"$ is not an object of {', '.join(_KEYS)}", path="$")
    for key in _KEYS:
        if not isinstance(document[key], str) or "\0" in document[key]:
            raise ApiError(422, "invalid_pin", f"$.{key} is no text", path=f"$.{key}")
    return tuple(document[key] for key in _KEYS)
