"""``/v1/approvals``: the queue of reviewers, the poll of agents, and the decision."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policyc_server.answers import encode
from policyc_server.approvals.approval import PENDING, STATES, Approval
from policyc_server.approvals.callback import read_callback, read_comment
from policyc_server.approvals.desk import Desk, Reviewer, reviewer, unknown
from policyc_server.approvals.documents import caller_document, log_document, reviewer_document
from policyc_server.approvals.rules import HoldRule
from policyc_server.auth.guard import check_stands
from policyc_server.auth.identity import REVIEWER, Identity, identity_of
from policyc_server.bodies import read_body, read_json
from policyc_server.clock import microseconds
from policyc_server.errors import ApiError
from policyc_server.events.query import read_limit, read_number
from policyc_server.settings import Settings
from policyc_server.snapshot import Serving
from policyc_server.store.approvals import ApprovalStore
from policyc_server.store.reading import reading

LONGEST_WAIT = 60
#: Approvals in one page: each may bring all the arguments of a call.
_MOST = 100
#: Seconds between looks of a long poll: the first, and the longest.
_FIRST_LOOK = 0.1
_LAST_LOOK = 1.0


class ApprovalEndpoints:
    """Reads and writes the store on threads, never on the event loop. ``tokens`` is a secret of the store."""

    def __init__(
        self, store: ApprovalStore, desk: Desk, serving: Serving, settings: Settings, tokens: bytes
    ) -> None:
        self._store = store
        self._desk = desk
        self._serving = serving
        self._settings = settings
        self._proxies = settings.proxies
        self._tokens = tokens
        #: Set when the server stops, which would wait for polls.
        self.is_closing = False

    def routes(self) -> list[Route]:
        one = "/v1/approvals/{approval}"
        return [
            Route("/v1/approvals", self.queue),
            Route(one, self.show),
            Route(f"{one}/approve", self.approve, methods=["POST"]),
            Route(f"{one}/deny", self.deny, methods=["POST"]),
            Route(f"{one}/callback", self.callback, methods=["POST"]),
        ]

    async def queue(self, request: Request) -> Response:
        """A page, newest first, with ``next`` for the one after it."""
        query = request.query_params
        limit = min(read_limit(query), _MOST)
        found: list[Approval] = await reading(
            self._store.newest, microseconds(), states=_states(query.getlist("state")), limit=limit,
            before=read_number(query, "before"),
        )  # fmt: skip
        identity = identity_of(request.scope)
        return _json(
            {
                "approvals": [self._for_people(approval, identity) for approval in found],
                "next": str(found[-1].opened_at) if len(found) == limit else None,
            }
        )

    async def show(self, request: Request) -> Response:
        """One approval; with ``wait`` once it is not pending any more, or after that many seconds."""
        identity = identity_of(request.scope)
        wait = _wait(request.query_params)
        approval = await self._wait(request, request.path_params["approval"], identity, wait)
        if _is_person(identity) and not _opened(approval, identity):
            log = await reading(self._store.log, approval.id)
            return _json({**self._for_people(approval, identity), "log": log_document(log)})
        return _json(caller_document(approval, self._tokens), {"cache-control": "no-store"})

    async def approve(self, request: Request) -> Response:
        return await self._decide(request, approve=True)

    async def deny(self, request: Request) -> Response:
        return await self._decide(request, approve=False)

    async def callback(self, request: Request) -> Response:
        """A decision that comes signed instead of with a key."""
        body = await self._body(request)
        approval = request.path_params["approval"]
        said = read_callback(request.headers, body, self._settings.webhook_secret, approval, time.time())
        by = Reviewer(said.by, f"callback {self._origin(request)}", is_named_only=True)
        return await self._answer(approval, by, approve=said.approve, comment=said.comment)

    async def _decide(self, request: Request, *, approve: bool) -> Response:
        by = reviewer(identity_of(request.scope), self._origin(request))
        comment = _comment(await self._body(request))
        return await self._answer(request.path_params["approval"], by, approve=approve, comment=comment)

    async def _answer(self, approval: str, by: Reviewer, *, approve: bool, comment: str | None) -> Response:
        decided = await run_in_threadpool(self._desk.decide, approval, by, approve=approve, comment=comment)
        return _json(reviewer_document(decided, self._rules, is_whole=False))

    async def _wait(self, request: Request, name: str, identity: Identity | None, wait: float) -> Approval:
        until, pause = time.monotonic() + wait, _FIRST_LOOK
        while True:
            check_stands(request.scope)
            approval: Approval | None = await reading(self._store.get, name, microseconds())
            if approval is None or not (_is_person(identity) or _opened(approval, identity)):
                raise unknown(name)
            left = until - time.monotonic()
            if approval.state != PENDING or left <= 0 or self.is_closing or await request.is_disconnected():
                return approval
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 1.5, _LAST_LOOK)

    def _for_people(self, approval: Approval, identity: Identity | None) -> dict[str, Any]:
        is_whole = identity is not None and identity.role == REVIEWER
        return reviewer_document(approval, self._rules, is_whole=is_whole)

    @property
    def _rules(self) -> Mapping[tuple[str, str], HoldRule]:
        snapshot = self._serving.snapshot
        return {} if snapshot is None else snapshot.rules

    def _origin(self, request: Request) -> str:
        return self._proxies.client(request.scope)

    async def _body(self, request: Request) -> bytes:
        settings = self._settings
        return await read_body(
            request.scope, request.receive, limit=settings.body_limit, deadline=settings.deadline
        )


def _is_person(identity: Identity | None) -> bool:
    return identity is None or identity.role != "agent"


def _opened(approval: Approval, identity: Identity | None) -> bool:
    return identity is not None and approval.key == identity.key


def _states(named: list[str]) -> tuple[str, ...]:
    for state in named:
        if state not in STATES:
            raise _wrong("state", f"{state[:40]!r} is not a state; states are {', '.join(STATES)}")
    return tuple(named)


def _wait(query: Mapping[str, str]) -> float:
    wait = read_number(query, "wait") or 0
    if wait > LONGEST_WAIT:
        raise _wrong("wait", f"is more than {LONGEST_WAIT} seconds")
    return wait


def _wrong(name: str, message: str) -> ApiError:
    return ApiError(422, "invalid_query", f"{name} {message}", path=name)


def _comment(body: bytes) -> str | None:
    document = read_json(body) if body else {}
    if not isinstance(document, dict) or not set(document) <= {"comment"}:
        raise ApiError(422, "invalid_decision", '$ is not {"comment": "..."}', path="$")
    return read_comment(document.get("comment"))


def _json(document: dict[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    return Response(encode(document), media_type="application/json", headers=headers)
