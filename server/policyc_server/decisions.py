"""The two decision endpoints of the API, as plain ASGI: evaluate reports, enforce blocks."""

from __future__ import annotations

import asyncio
import time
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from policyc.engine.calls import CallError, read_call
from policyc.engine.model import Call, Outcome
from policyc_server.answers import encode, encode_echo, send_json
from policyc_server.approvals.holds import Holds, Settled
from policyc_server.auth.identity import AGENT, Identity, identity_of
from policyc_server.blocks import (
    NO_RETRY,
    TOKEN_HEADER,
    blocked_document,
    close_hold,
    pending_document,
    where_to_poll,
)
from policyc_server.bodies import read_body, read_json
from policyc_server.decide import Decider, decision, in_time, new_decision_id
from policyc_server.errors import ApiError, wrong_call
from policyc_server.settings import Settings
from policyc_server.snapshot import Snapshot


class Evaluate:
    """`POST /v1/evaluate`: a call or a list of them to a decision or a list, all by one revision."""

    def __init__(self, decider: Decider, settings: Settings, holds: Holds | None) -> None:
        self._decider = decider
        self._settings = settings
        self._holds = holds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit, deadline = self._settings.body_limit, self._settings.deadline
        body = await read_body(scope, receive, limit=limit, deadline=deadline)
        started = time.perf_counter()
        document = read_json(body)
        answer = await in_time(self._answer(document, scope, started), deadline, deadline)
        await send_json(send, 200, encode_echo(answer, body))

    async def _answer(self, document: object, scope: Scope, started: float) -> object:
        snapshot, identity, token = self._decider.snapshot, identity_of(scope), _token(scope)
        explained = _asks_to_explain(scope, identity)
        if type(document) is list:
            calls = self._read_calls(document)
            if token is not None:
                raise ApiError(422, "approval_of_one", f"send the call that {TOKEN_HEADER} is for alone")
            for call in calls:  # in their order: a sequence depends on it
                await self._decider.count(call, snapshot, identity)
            decided = (self._decide(call, snapshot, identity, None, started, explained) for call in calls)
            return await asyncio.gather(*decided)
        call = _read(document)
        await self._decider.count(call, snapshot, identity)
        return await self._decide(call, snapshot, identity, token, started, explained)

    def _read_calls(self, documents: list[object]) -> list[Call]:
        limit = self._settings.call_limit
        if len(documents) > limit:
            raise ApiError(422, "too_many_calls", f"$ has {len(documents)} calls, at most {limit}", path="$")
        return [_read(document, position) for position, document in enumerate(documents)]

    async def _decide(
        self,
        call: Call,
        snapshot: Snapshot | None,
        identity: Identity | None,
        token: str | None,
        started: float,
        explained: bool,
    ) -> dict[str, object]:
        settled = Settled(self._decider.decide(call, snapshot, identity))
        if settled.outcome.verdict == "pending_approval":
            settled = await _settle(self._holds, "evaluate", call, settled.outcome, snapshot, identity, token)
        outcome, approval = settled.outcome, settled.approval
        decision_id = new_decision_id()
        kept = self._decider.record("evaluate", call, outcome, snapshot, decision_id, started, identity)
        if kept is not None:
            await kept
        document = decision(outcome, call, snapshot, decision_id)
        if explained:
            document["explain"] = await run_in_threadpool(self._decider.explain, call, snapshot, identity)
        return document if approval is None else document | where_to_poll(approval, self._settings.public_url)


class Enforce:
    """`POST /v1/enforce`: 200 with the decision where the call may run, else 400 `firewall_blocked`."""

    def __init__(self, decider: Decider, settings: Settings, holds: Holds | None) -> None:
        self._decider = decider
        self._settings = settings
        self._holds = holds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit, deadline = self._settings.body_limit, self._settings.deadline
        body = await read_body(scope, receive, limit=limit, deadline=deadline)
        started = time.perf_counter()
        call = _read(read_json(body))
        status, answer = await in_time(self._answer(call, body, scope, started), deadline, deadline)
        await send_json(send, status, answer, () if status == 200 else NO_RETRY)

    async def _answer(self, call: Call, body: bytes, scope: Scope, started: float) -> tuple[int, bytes]:
        snapshot, identity = self._decider.snapshot, identity_of(scope)
        await self._decider.count(call, snapshot, identity)
        settled = Settled(self._decider.decide(call, snapshot, identity))
        if settled.outcome.verdict == "pending_approval":
            settled = await _settle(
                self._holds, "enforce", call, settled.outcome, snapshot, identity, _token(scope)
            )
        outcome, approval = settled.outcome, settled.approval
        decision_id = new_decision_id()
        kept = self._decider.record("enforce", call, outcome, snapshot, decision_id, started, identity)
        if kept is not None:
            await kept
        if outcome.allowed:
            return 200, encode_echo(decision(outcome, call, snapshot, decision_id), body)
        if approval is None:
            return 400, encode(blocked_document(outcome, call, snapshot, decision_id))
        public_url = self._settings.public_url
        return 400, encode(pending_document(outcome, call, snapshot, decision_id, approval, public_url))


def _asks_to_explain(scope: Scope, identity: Identity | None) -> bool:
    """Raises ApiError: 422 where the query is not understood, 403 for agents, to whom the trace would tell
    which call just passes."""
    query = scope["query_string"]
    if not query:
        return False
    asked = parse_qs(query.decode("latin-1"), keep_blank_values=True)
    if asked.keys() != {"explain"} or asked["explain"] not in (["0"], ["1"]):
        raise ApiError(422, "invalid_query", "the query may only be explain=1")
    if asked["explain"] == ["1"] and identity is not None and identity.role == AGENT:
        raise ApiError(403, "forbidden", "a key of role agent may not see how rules decide; use an admin's")
    return asked["explain"] == ["1"]


_TOKEN = TOKEN_HEADER.lower().encode("ascii")


def _token(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == _TOKEN:
            return str(value, "latin-1")
    return None


async def _settle(
    holds: Holds | None,
    surface: str,
    call: Call,
    outcome: Outcome,
    snapshot: Snapshot | None,
    identity: Identity | None,
    token: str | None,
) -> Settled:
    """What becomes of a held call. Without approvals a surface that blocks says so, and one that reports
    keeps the policy's verdict."""
    if snapshot is None or holds is None or not holds.are_available:
        return Settled(close_hold(outcome, "deny" if surface == "enforce" else outcome.verdict))
    return await holds.settle(surface, call, outcome, snapshot, identity, token)


def _read(document: object, position: int | None = None) -> Call:
    try:
        return read_call(document)
    except CallError as error:
        raise wrong_call(error, position) from None
