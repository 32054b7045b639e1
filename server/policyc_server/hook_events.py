"""HTTP hooks: the wire format of the managed agent, where only a deny document on status 200 stops a call.

The agent's runtime lets the call run on every other status, on a timeout and on anything it cannot read.
So whatever goes wrong with a pre event is answered like a policy's deny: see `refusal`.
"""

from __future__ import annotations

import time

from starlette.types import Receive, Scope, Send

from policyc.engine.calls import CallError, read_call
from policyc.engine.dialects import managed
from policyc.engine.model import Call
from policyc_server.answers import encode, send_json
from policyc_server.blocks import close_hold, message
from policyc_server.bodies import read_body, read_json
from policyc_server.decide import Decider, new_decision_id
from policyc_server.errors import ApiError, wrong_call
from policyc_server.settings import Settings

PREFIX = "/v1/hooks/"
PRE = PREFIX + "pre_tool_execution"
POST = PREFIX + "post_tool_execution"

_NOTHING = b"{}"


def refusal(path: str, error: ApiError) -> bytes:
    """The body, always with status 200, of a hook event that could not be handled.

    Post events have nothing to stop. Everything else below the prefix denies, also a misspelt event."""
    if path == POST:
        return _NOTHING
    return encode(managed.deny(f"blocked because the policy server could not check it: {error.message}"))


class PreToolExecution:
    """Decides one pre event, within the deadline."""

    def __init__(self, decider: Decider, settings: Settings) -> None:
        self._decider = decider
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        arrived = time.perf_counter()
        limit, deadline = self._settings.body_limit, self._settings.deadline
        body = await read_body(scope, receive, limit=limit, deadline=deadline)
        started = time.perf_counter()
        call = _read_event(body)
        snapshot = self._decider.snapshot
        outcome = close_hold(self._decider.decide(call, snapshot))
        if time.perf_counter() - arrived > deadline:
            raise ApiError(408, "timeout", f"the decision took longer than {deadline:g} s")
        self._decider.record("pre_tool_execution", call, outcome, snapshot, new_decision_id(), started)
        await send_json(send, 200, encode(managed.answer(outcome, message(outcome, call))))


class PostToolExecution:
    """Logs one post event; what it answers is ignored by the agent."""

    def __init__(self, decider: Decider, settings: Settings) -> None:
        self._decider = decider
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit, deadline = self._settings.body_limit, self._settings.deadline
        body = await read_body(scope, receive, limit=limit, deadline=deadline)
        self._decider.completed("post_tool_execution", _read_event(body))
        await send_json(send, 200, _NOTHING)


def _read_event(body: bytes) -> Call:
    try:
        call = read_call(read_json(body))
    except CallError as error:
        raise wrong_call(error) from None
    if call.stage != "hook":
        raise ApiError(422, "invalid_call", "$ is a call of another stage, not a hook event", path="$")
    return call
