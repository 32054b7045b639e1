"""One event through the handlers of a hooks.json."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from policyc.compiler.hooks import EVENTS
from policyc.engine.dialects.managed import DIALECT
from policyc.hooks.declared import Command
from policyc.hooks.errors import HooksError
from policyc.hooks.runtime.answers import read_answer
from policyc.hooks.runtime.causes import CAUSES, Attempt, NoSay
from policyc.hooks.runtime.commands import run_command
from policyc.hooks.runtime.hooks_file import Handler, HooksFile
from policyc.hooks.runtime.network import Network
from policyc.hooks.runtime.posting import post
from policyc.hooks.runtime.sandbox import Sandbox

PRE, POST = EVENTS
ALLOW: Final = "allow"
DENY: Final = "deny"


@dataclass(frozen=True)
class Handled:
    """What became of one handler.

    ``skipped``: ``group_disabled``, or ``already_denied`` by a handler before it; None where it ran or did
    not match. ``cause``: a key of CAUSES, when it had no say. ``decision``: what it said before a call.
    """

    group: str
    place: str
    rule: int
    index: int
    type: str
    matched: bool
    skipped: str | None = None
    decision: str | None = None
    cause: str | None = None
    detail: str = ""
    milliseconds: float | None = None
    exit_code: int | None = None
    status: int | None = None
    stderr: str = ""


@dataclass(frozen=True)
class Result:
    """The outcome of an event, and every handler of it in order.

    ``tool_seen``: whether the agent sends events for this tool at all. ``reason`` is what the model reads.
    """

    event: str
    tool: str
    outcome: str
    reason: str | None
    trace: tuple[Handled, ...]
    tool_seen: bool

    @property
    def denied(self) -> bool:
        return self.outcome == DENY

    @property
    def failures(self) -> tuple[Handled, ...]:
        """The handlers that had no say: before a call each failed open, after it each lost an event."""
        return tuple(handled for handled in self.trace if handled.cause is not None)

    @property
    def holds(self) -> bool:
        """Whether every handler that should be heard was."""
        return self.tool_seen and not self.failures

    def document(self) -> dict[str, Any]:
        """The result as JSON data."""
        return asdict(self)


def tool_of(payload: Mapping[str, Any]) -> str:
    """The name in ``tool_call``. Raises HooksError."""
    call = payload.get("tool_call")
    name = call.get("name") if isinstance(call, Mapping) else None
    if not isinstance(name, str):
        raise HooksError("event_invalid", "tool_call.name is not a string")
    return name


async def run_event(
    hooks: HooksFile, event: str, payload: Mapping[str, Any], sandbox: Sandbox | None = None
) -> Result:
    """Runs the handlers of ``event`` (one of EVENTS) that match ``payload``'s tool, one after another.

    Before a call the first deny ends it; whatever else happens lets the call run. After it answers are not
    read. Raises HooksError for another event, and where the payload names no tool. Cancelled, it leaves no
    process behind.
    """
    if event not in EVENTS:
        raise HooksError("event_invalid", f"{event!r} is not one of {', '.join(EVENTS)}")
    return await run_handlers(hooks, event, tool_of(payload), json.dumps(payload).encode("ascii"), sandbox)


async def run_handlers(
    hooks: HooksFile, event: str, tool: str, sent: bytes, sandbox: Sandbox | None = None
) -> Result:
    """The same with the bytes ``sent`` in the place of the event, whatever they are, about ``tool``."""
    trace: list[Handled] = []
    reason: str | None = None
    for handler in hooks.handlers:
        if handler.event != event:
            continue
        handled = _described(handler, tool, denied=reason is not None)
        if handled.matched and handled.skipped is None:
            handled, reason = await _run(handler, handled, sent, sandbox or Sandbox())
        trace.append(handled)
    outcome = ALLOW if reason is None else DENY
    return Result(event, tool, outcome, reason, tuple(trace), tool in DIALECT.tools)


def _described(handler: Handler, tool: str, denied: bool) -> Handled:
    matched = handler.matches(tool)
    skipped = "group_disabled" if not handler.enabled else "already_denied" if denied and matched else None
    problem = handler.matcher_problem if handler.enabled else None
    return Handled(
        handler.group,
        handler.place,
        handler.rule,
        handler.index,
        handler.type,
        matched,
        skipped,
        cause=None if problem is None else "matcher_invalid",
        detail=problem or "",
    )


async def _run(
    handler: Handler, described: Handled, event: bytes, sandbox: Sandbox
) -> tuple[Handled, str | None]:
    """What became of the handler, and the reason when it denied."""
    started = time.perf_counter()
    attempt = await _attempt(handler, event, sandbox)
    handled = replace(
        described,
        cause=attempt.cause,
        detail=attempt.detail,
        milliseconds=round(1000 * (time.perf_counter() - started), 1),
        exit_code=attempt.exit_code,
        status=attempt.status,
        stderr=attempt.stderr,
    )
    handled, reason = (handled, None) if handler.event != PRE or attempt.cause else _decided(handled, attempt)
    return _redacted(handled, sandbox.network), None if reason is None else sandbox.network.redacted(reason)


async def _attempt(handler: Handler, event: bytes, sandbox: Sandbox) -> Attempt:
    if isinstance(handler.action, Command):
        return await run_command(handler.action, event, handler.timeout, sandbox)
    return await post(handler.action, event, handler.timeout, sandbox)


def _decided(handled: Handled, attempt: Attempt) -> tuple[Handled, str | None]:
    try:
        reason = read_answer(attempt.answer)
    except NoSay as error:
        return replace(handled, cause=error.cause, detail=error.detail), None
    return replace(handled, decision=ALLOW if reason is None else DENY), reason


def _redacted(handled: Handled, network: Network) -> Handled:
    return replace(handled, detail=network.redacted(handled.detail), stderr=network.redacted(handled.stderr))


def cause_line(handled: Handled) -> str:
    """Why a handler had no say, in one sentence."""
    said = CAUSES[handled.cause or ""]
    return f"{said}: {handled.detail}" if handled.detail else said
