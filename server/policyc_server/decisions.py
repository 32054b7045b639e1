"""The two decision endpoints of the API, as plain ASGI: evaluate reports, enforce blocks."""

from __future__ import annotations

import asyncio
import time

from starlette.types import Receive, Scope, Send

from policyc.engine.calls import CallError, read_call
from policyc.engine.model import Call
from policyc_server.answers import encode, encode_echo, send_json
from policyc_server.auth.identity import Identity, identity_of
from policyc_server.blocks import NO_RETRY, blocked_document, close_hold
from policyc_server.bodies import read_body, read_json
from policyc_server.decide import Decider, decision, new_decision_id
from policyc_server.errors import ApiError, wrong_call
from policyc_server.settings import Settings
from policyc_server.snapshot import Snapshot


class Evaluate:
    """`POST /v1/evaluate`: a call or a list of them to a decision or a list, all by one revision."""

    def __init__(self, decider: Decider, settings: Settings) -> None:
        self._decider = decider
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit, deadline = self._settings.body_limit, self._settings.deadline
        body = await read_body(scope, receive, limit=limit, deadline=deadline)
        started = time.perf_counter()
        document = read_json(body)
        snapshot, identity = self._decider.snapshot, identity_of(scope)
        answer: object
        if type(document) is list:
            calls = self._read_calls(document)
            for call in calls:  # in their order: a sequence depends on it
                await self._decider.count(call, snapshot, identity)
            decided = (self._decide(call, snapshot, identity, started) for call in calls)
            answer = await asyncio.gather(*decided)
        else:
            call = _read(document)
            await self._decider.count(call, snapshot, identity)
            answer = await self._decide(call, snapshot, identity, started)
        await send_json(send, 200, encode_echo(answer, body))

    def _read_calls(self, documents: list[object]) -> list[Call]:
        limit = self._settings.call_limit
        if len(documents) > limit:
            raise ApiError(422, "too_many_calls", f"$ has {len(documents)} calls, at most {limit}", path="$")
        return [_read(document, position) for position, document in enumerate(documents)]

    async def _decide(
        self, call: Call, snapshot: Snapshot | None, identity: Identity | None, started: float
    ) -> dict[str, object]:
        outcome = close_hold(self._decider.decide(call, snapshot, identity), "pending_approval")
        decision_id = new_decision_id()
        kept = self._decider.record("evaluate", call, outcome, snapshot, decision_id, started, identity)
        if kept is not None:
            await kept
        return decision(outcome, call, snapshot, decision_id)


class Enforce:
    """`POST /v1/enforce`: 200 with the decision where the call may run, else 400 `firewall_blocked`."""

    def __init__(self, decider: Decider, settings: Settings) -> None:
        self._decider = decider
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit, deadline = self._settings.body_limit, self._settings.deadline
        body = await read_body(scope, receive, limit=limit, deadline=deadline)
        started = time.perf_counter()
        call = _read(read_json(body))
        snapshot, identity = self._decider.snapshot, identity_of(scope)
        await self._decider.count(call, snapshot, identity)
        outcome = close_hold(self._decider.decide(call, snapshot, identity))
        decision_id = new_decision_id()
        kept = self._decider.record("enforce", call, outcome, snapshot, decision_id, started, identity)
        if kept is not None:
            await kept
        if outcome.allowed:
            answer = decision(outcome, call, snapshot, decision_id)
            await send_json(send, 200, encode_echo(answer, body))
        else:
            blocked = blocked_document(outcome, call, snapshot, decision_id)
            await send_json(send, 400, encode(blocked), NO_RETRY)


def _read(document: object, position: int | None = None) -> Call:
    try:
        return read_call(document)
    except CallError as error:
        raise wrong_call(error, position) from None
