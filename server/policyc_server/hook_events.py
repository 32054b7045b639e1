"""HTTP hooks: each agent posts its own payload and reads its own answer, always with status 200.

Agents let a call run on every other status, on a timeout and on anything they cannot read. So whatever goes
wrong with an event before a tool is answered like a policy's deny: see `refusal`.
"""

from __future__ import annotations

import json
import time

from starlette.types import Receive, Scope, Send

from policyc.engine.decision import arguments
from policyc.engine.dialects import MODULES, detect, load
from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.lowering import lowered
from policyc.engine.dialects.tools import CallError
from policyc.engine.model import Call, Outcome
from policyc_server.answers import encode, send_json
from policyc_server.approvals.holds import Holds, Settled
from policyc_server.auth.identity import identity_of
from policyc_server.blocks import close_hold, hook_hold, message
from policyc_server.bodies import read_body, read_json
from policyc_server.decide import Decider, in_time, new_decision_id
from policyc_server.errors import ApiError, late, not_found, wrong_call
from policyc_server.settings import Settings

PREFIX = "/v1/hooks/"
PRE = PREFIX + "pre_tool_execution"
POST = PREFIX + "post_tool_execution"

_DIALECTS = {name: load(name) for name in MODULES}
#: Targets with a route by their name: those that take a document for a deny. The events of the managed agent
#: do not say whether they come before or after the tool, so it has two paths instead.
TARGETS = tuple(name for name in MODULES if name != "managed" and _DIALECTS[name].deny("no").stdout)
#: Path -> its target, and the event where the path says it.
ROUTES: dict[str, tuple[str, str | None]] = {
    PRE: ("managed", "pre"),
    POST: ("managed", "post"),
    **{PREFIX + name: (name, None) for name in TARGETS},
}
_ANSWERED = frozenset(("managed", *TARGETS))

#: Where the scope holds the dialect and the event of a payload that was read.
_SEEN = "policyc.hook_event"
_NOTHING = "{}"


def refusal(scope: Scope, error: ApiError) -> bytes:
    """The body, always with status 200, of a hook event that could not be handled.

    An event after a tool has nothing to stop. Everything else below the prefix is denied: in the words of
    the payload's agent, else of the route's, else in those of every agent at once.
    """
    dialect, event = _seen(scope)
    reason = f"blocked because the policy server could not check it: {error.message}"
    if event in ("post", "other"):
        return _NOTHING.encode() if dialect is None else _body(dialect.done().stdout)
    return _in_every_word(reason) if dialect is None else _body(dialect.deny(reason).stdout)


def _seen(scope: Scope) -> tuple[Dialect | None, str | None]:
    target, event = ROUTES.get(scope["path"], (None, None))
    found: tuple[Dialect | None, str | None] | None = scope.get(_SEEN)
    return found or (None if target is None else _DIALECTS[target], event)


def _in_every_word(reason: str) -> bytes:
    document: dict[str, object] = {}
    for name in ("managed", *TARGETS):
        document |= json.loads(_DIALECTS[name].deny(reason).stdout)
    return encode(document)


def _body(stdout: str) -> bytes:
    return encode(json.loads(stdout or _NOTHING))


class HookEvent:
    """Decides an event before a tool, within the deadline, and logs one after it."""

    def __init__(self, decider: Decider, settings: Settings, holds: Holds | None) -> None:
        self._decider = decider
        self._settings = settings
        self._holds = holds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        arrived = time.perf_counter()
        limit, deadline = self._settings.body_limit, self._settings.deadline
        body = await read_body(scope, receive, limit=limit, deadline=deadline)
        started = time.perf_counter()
        document = read_json(body)
        dialect, event = scope[_SEEN] = _tell(scope, document)
        if scope["path"] not in ROUTES:
            raise not_found(scope["path"])
        surface = scope["path"].removeprefix(PREFIX)
        answer = dialect.done().stdout
        if event == "pre":
            call = _read(dialect, document)
            left = arrived + deadline - time.perf_counter()
            answer = await in_time(self._decide(surface, dialect, call, started, scope), left, deadline)
        elif event == "post":
            self._decider.completed(surface, _read(dialect, document), _error(document), identity_of(scope))
        if time.perf_counter() - arrived > deadline:
            raise late(deadline)
        await send_json(send, 200, _body(answer))

    async def _decide(self, surface: str, dialect: Dialect, call: Call, started: float, scope: Scope) -> str:
        snapshot, identity = self._decider.snapshot, identity_of(scope)
        await self._decider.count(call, snapshot, identity)
        settled = Settled(self._decider.decide(call, snapshot, identity))
        if settled.outcome.verdict == "pending_approval" and snapshot is not None and self._can_hold:
            assert self._holds is not None
            settled = await self._holds.settle_hook(surface, call, settled.outcome, snapshot, identity)
        outcome, approval = settled.outcome, settled.approval
        if approval is None:
            outcome = _carried(outcome, dialect)
        kept = self._decider.record(surface, call, outcome, snapshot, new_decision_id(), started, identity)
        if kept is not None:
            await kept
        if approval is not None:
            # Not the agent's own question: whoever sits there need not be a reviewer, and leaves no trace.
            return dialect.deny(hook_hold(outcome, call, approval)).stdout
        args = arguments(outcome, call) if outcome.sanitize is not None else None
        return dialect.answer(outcome, message(outcome, call), call, args).stdout

    @property
    def _can_hold(self) -> bool:
        return self._holds is not None and self._holds.are_available


def _tell(scope: Scope, document: object) -> tuple[Dialect, str]:
    """The payload's dialect and event. Raises ApiError."""
    if not isinstance(document, dict):
        raise wrong_call(CallError("$", "is not an object"))
    target, event = ROUTES.get(scope["path"], (None, None))
    dialect = detect(document, target)
    if dialect is None:
        raise not_found(scope["path"])
    if dialect.name not in _ANSWERED:
        raise ApiError(422, "invalid_call", f"{dialect.name} hooks take no answer over HTTP: use a command")
    return dialect, event if event and dialect.name == target else dialect.event(document)


#: What agents call one attempt of a call; some run a hook twice for one.
_ATTEMPTS = ("tool_use_id", "tool_call_id", "toolUseId", "toolCallId", "generation_id")


def _error(document: dict[str, object]) -> str | None:
    """What a tool ended with, where the event says so."""
    error = document.get("error")
    return error if isinstance(error, str) else None


def _read(dialect: Dialect, document: dict[str, object]) -> Call:
    try:
        call = dialect.read(document)
    except CallError as error:
        raise wrong_call(error) from None
    attempts = (document.get(key) for key in _ATTEMPTS)
    call.call_id = next((attempt for attempt in attempts if isinstance(attempt, str) and attempt), None)
    return call


def _carried(outcome: Outcome, dialect: Dialect) -> Outcome:
    """`outcome` as the agent's hook can say it: one that asks a person itself needs no approvals here."""
    if "pending_approval" not in dialect.carries:
        outcome = close_hold(outcome)
    return lowered(outcome, dialect)
