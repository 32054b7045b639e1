"""From a `tools/call` to what becomes of it: passed on, passed on with other arguments, or answered here."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from policyc.engine.decision import arguments
from policyc.engine.model import Call, Outcome
from policyc_server.approvals.holds import Holds, Settled
from policyc_server.auth.identity import Identity
from policyc_server.blocks import close_hold
from policyc_server.decide import Decider, new_decision_id
from policyc_server.errors import ApiError
from policyc_server.mcp.caller import Caller
from policyc_server.mcp.messages import Message, called, success, with_arguments, written
from policyc_server.mcp.names import call_of
from policyc_server.mcp.pins import Pins
from policyc_server.mcp.results import blocked_result
from policyc_server.snapshot import Snapshot

_log = logging.getLogger(__name__)

SURFACE = "mcp"
_CHANGED = Outcome(
    "deny",
    "the server changed what this tool is since it was accepted; an admin decides with `policyc mcp pins`",
    "tool_changed",
)
_NO_PINS = Outcome("deny", "the store of accepted tools fails; its operator sees why", "pins_unavailable")
_FAULT = Outcome("deny", "the firewall could not decide; its operator sees why", "internal_error")
_LATE = Outcome("deny", "the firewall could not decide in time; its operator sees why", "timeout")


@dataclass(frozen=True, slots=True)
class Judged:
    """``forward`` is what the server gets, ``answer`` what the client gets instead: one of them is None."""

    forward: Message | None
    answer: Message | None = None
    call: Call | None = None
    """The call that goes on, for when it has ended."""


class Judge:
    """Decides calls of tools. ``deadline`` is in seconds."""

    def __init__(self, decider: Decider, holds: Holds | None, pins: Pins, deadline: float) -> None:
        self._decider = decider
        self._holds = holds
        self._pins = pins
        self._deadline = deadline

    async def judged(self, message: Message, server: str, caller: Caller) -> Judged:
        """What becomes of a client's ``message``. Raises Refused."""
        found = called(message)
        if found is None:
            return Judged(message)
        tool, args = found
        call = call_of(server, tool, args, agent=caller.agent, session=caller.session)
        snapshot, started, decision_id = self._decider.snapshot, time.perf_counter(), new_decision_id()
        call.call_id = decision_id
        settled = await self._settled(call, server, tool, snapshot, caller.identity)
        outcome = settled.outcome
        try:
            kept = self._decider.record(
                SURFACE, call, outcome, snapshot, decision_id, started, caller.identity
            )
            if kept is not None:
                await kept
        except ApiError as error:  # what is not kept does not stand
            outcome = outcome.changed("deny", error.message, error.code)
            settled = Settled(outcome)
        if outcome.allowed:
            return _passed(message, call, outcome)
        has_schema = await self._has_schema(server, tool)
        result = blocked_result(outcome, call, snapshot, decision_id, settled.approval, has_schema=has_schema)
        return Judged(None, written(success(message.id, result)))

    def ended(self, call: Call, answer: Message, identity: Identity | None = None) -> None:
        """Keeps how a call of ``identity`` ended, where its server's ``answer`` says that it has."""
        document = answer.document
        result = document.get("result")
        if "error" in document:
            error = document["error"]
            said = str(error.get("message")) if isinstance(error, dict) else "error"
            self._decider.completed(SURFACE, call, said, identity)
        elif isinstance(result, dict) and "content" in result:
            self._decider.completed(SURFACE, call, _failure(result), identity)

    async def _settled(
        self, call: Call, server: str, tool: str, snapshot: Snapshot | None, identity: Identity | None
    ) -> Settled:
        try:
            async with asyncio.timeout(self._deadline):
                if await self._pins.is_held(server, tool):
                    return Settled(_CHANGED)
                return await self._decided(call, snapshot, identity)
        except TimeoutError:
            return Settled(_LATE)
        except SQLAlchemyError:
            return Settled(_NO_PINS)
        except ApiError as error:
            return Settled(_FAULT.changed("deny", error.message, error.code))
        except Exception:
            _log.exception("cannot decide %s", call.tool[:200])
            return Settled(_FAULT)

    async def _decided(self, call: Call, snapshot: Snapshot | None, identity: Identity | None) -> Settled:
        await self._decider.count(call, snapshot, identity)
        outcome = self._decider.decide(call, snapshot, identity)
        if outcome.verdict != "pending_approval":
            return Settled(outcome)
        if snapshot is None or self._holds is None or not self._holds.are_available:
            return Settled(close_hold(outcome))
        return await self._holds.settle_hook(SURFACE, call, outcome, snapshot, identity)

    async def _has_schema(self, server: str, tool: str) -> bool:
        try:
            definition = await self._pins.definition(server, tool)
        except SQLAlchemyError:
            return True
        return definition is not None and definition.get("outputSchema") is not None


def _failure(result: dict[str, Any]) -> str | None:
    """What a tool says of its failure; None where it did not fail."""
    if result.get("isError") is not True:
        return None
    content = result["content"] if isinstance(result["content"], list) else []
    texts = (item["text"] for item in content if isinstance(item, dict) and isinstance(item.get("text"), str))
    return next(texts, "error")


def _passed(message: Message, call: Call, outcome: Outcome) -> Judged:
    if outcome.sanitize is None:
        return Judged(message, call=call)
    args = arguments(outcome, call)
    return Judged(message if args == call.native_args else with_arguments(message, args), call=call)
