"""Every route of the API, once: requests are dispatched by it, and `/openapi.json` is held against it."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send

from policyc_server import hook_events, openapi
from policyc_server.answers import encode
from policyc_server.approvals.holds import Holds
from policyc_server.decide import Decider
from policyc_server.decisions import Enforce, Evaluate
from policyc_server.errors import not_found, wrong_method
from policyc_server.gateway.paths import PREFIX
from policyc_server.operations import Operations
from policyc_server.settings import Settings


def decision_routes(decider: Decider, settings: Settings, holds: Holds | None) -> dict[str, ASGIApp]:
    """The routes where time matters: plain ASGI, POST only."""
    hook_event = hook_events.HookEvent(decider, settings, holds)
    return {
        "/v1/evaluate": Evaluate(decider, settings, holds),
        "/v1/enforce": Enforce(decider, settings, holds),
        **dict.fromkeys(hook_events.ROUTES, hook_event),
    }


def operation_routes(operations: Operations) -> list[Route]:
    """The routes that people and monitoring read."""
    document = encode(openapi.document())

    async def describe(_request: Request) -> Response:
        return Response(document, media_type="application/json")

    return [
        Route("/health", operations.health),
        Route("/metrics", operations.metrics),
        Route("/openapi.json", describe),
        Route("/v1/policies", operations.policies),
        Route("/v1/reload", operations.reload, methods=["POST"]),
        Route("/v1/status", operations.status),
    ]


class Dispatch:
    """Decision routes by exact path, the gateway's by their prefix, the rest by Starlette's router; what none
    of them knows is an ApiError."""

    def __init__(
        self,
        decisions: dict[str, ASGIApp],
        operations: list[Route],
        lifespan: Lifespan[Router],
        gateway: ASGIApp | None,
    ) -> None:
        self._decisions = decisions
        self._gateway = gateway
        self._operations = Router(operations, redirect_slashes=False, lifespan=lifespan)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._decision(scope)
        if self._gateway is not None and scope["type"] == "http" and scope["path"].startswith(PREFIX):
            await self._gateway(scope, receive, send)
        elif route is None:
            await self._operate(scope, receive, send)
        elif scope["method"] == "POST":
            await route(scope, receive, send)
        else:
            raise wrong_method("POST")

    def _decision(self, scope: Scope) -> ASGIApp | None:
        if scope["type"] != "http":
            return None
        path = scope["path"]
        # What is posted to a misspelt hook is read too: its sender is told no in words it understands.
        stray = scope["method"] == "POST" and path.startswith(hook_events.PREFIX)
        return self._decisions.get(path) or (self._decisions[hook_events.PRE] if stray else None)

    async def _operate(self, scope: Scope, receive: Receive, send: Send) -> None:
        # With an app in the scope the router raises instead of answering in a form of its own.
        scope["app"] = self
        try:
            await self._operations(scope, receive, send)
        except HTTPException as error:
            if error.status_code != 405:
                raise not_found(scope["path"]) from None
            methods = (error.headers or {}).get("Allow", "GET").split(", ")
            raise wrong_method(", ".join(sorted({*methods} - {"HEAD"}))) from None
