"""Decides the tools and the calls of one request to an LLM, and records that it did."""

from __future__ import annotations

import time
from dataclasses import dataclass

from policyc.engine.budgets import Within
from policyc.engine.decision import arguments, visible
from policyc.engine.dialects.tools import CallError
from policyc.engine.documents import Malformed
from policyc.engine.model import OPEN, UNKNOWN, Call, Outcome
from policyc_server.approvals.approval import Approval
from policyc_server.approvals.holds import Holds, Settled
from policyc_server.auth.identity import Identity
from policyc_server.blocks import close_hold, hook_hold, message
from policyc_server.decide import Decider, new_decision_id
from policyc_server.gateway.calls import call_of
from policyc_server.gateway.documents import arguments_of
from policyc_server.gateway.vendors.vendor import NAMELESS, Document, Rewrite, Tool, ToolCall
from policyc_server.snapshot import Snapshot

INBOUND = "inbound"
RESPONSE = "response"
_NO_NAME = Malformed("no_name", "nobody can tell which tool they are for: the call has no name")
_PLAIN = frozenset({"allow", "audit"})


@dataclass(frozen=True, slots=True)
class Judged:
    """What was decided of a tool or a call."""

    call: Call
    outcome: Outcome
    decision_id: str
    revision: str
    approval: Approval | None = None
    rewrite: Rewrite | None = None

    @property
    def passes(self) -> bool:
        return self.outcome.allowed

    @property
    def text(self) -> str:
        """What the model, and whoever sits at the client, reads of a blocked call."""
        if self.approval is None:
            said = message(self.outcome, self.call)
        else:
            said = hook_hold(self.outcome, self.call, self.approval)
        return f"{said} (reason code: {visible(self.outcome.reason_code)})"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, as which agent, on behalf of which run."""

    identity: Identity | None
    agent: str | None
    run: str | None
    session: str | None

    def sign(self, call: Call) -> Call:
        for part in call.parts:
            part.agent, part.run, part.session = self.agent, self.run, self.session
        return call


class Judge:
    """Decides for one request, each tool and call by the policy that is served at that moment: an answer may
    take minutes."""

    def __init__(self, decider: Decider, holds: Holds | None, caller: Caller) -> None:
        self._decider = decider
        self._holds = holds
        self._caller = caller
        self._denied: dict[str, Outcome] = {}

    @property
    def _snapshot(self) -> Snapshot | None:
        return self._decider.snapshot

    async def offered(self, tool: Tool) -> Judged:
        """Whether the model may be told of a tool. Denied here, it is denied as a call too."""
        started = time.perf_counter()
        snapshot = self._snapshot
        call, problem = self._call(tool, OPEN, INBOUND)
        outcome, approval = problem, None
        if outcome is None:
            outcome, approval = await self._decide(call, snapshot, INBOUND)
        if outcome.allowed and tool.is_hosted:
            outcome = self._beforehand(tool, snapshot) or outcome
        if not outcome.allowed:
            self._denied[tool.name] = outcome
        return await self._recorded(INBOUND, call, outcome, approval, snapshot, started)

    async def called(self, tool: ToolCall) -> Judged:
        """Whether a call of an answer may reach the client, and with which arguments."""
        started = time.perf_counter()
        snapshot = self._snapshot
        args = _NO_NAME if tool.name.rpartition(".")[2] == NAMELESS else arguments_of(tool.raw)
        call, problem = self._call(tool, UNKNOWN if isinstance(args, Malformed) else args, RESPONSE)
        outcome, approval = problem or self._denied.get(tool.name), None
        if isinstance(args, Malformed):
            call.native_args = {"unreadable": args.code}
            outcome = outcome or self._unreadable(call, snapshot, args)
        elif outcome is None:
            outcome, approval = await self._decide(call, snapshot, RESPONSE, can_change=not tool.is_hosted)
        rewrite = _rewrite(outcome, call) if isinstance(args, dict) else None
        return await self._recorded(RESPONSE, call, outcome, approval, snapshot, started, rewrite)

    def _call(self, tool: Tool | ToolCall, args: object, stage: str) -> tuple[Call, Outcome | None]:
        """The call, and why it is denied whatever the policy says."""
        problem = tool.problem if isinstance(tool, Tool) else None
        try:
            call = call_of(tool, args, stage)
        except CallError as error:
            call, problem = Call(tool.name, args, stage, native_args={}), error.message
        outcome = None if problem is None else Outcome("deny", problem, "tool_unknown")
        return self._caller.sign(call), outcome

    async def _decide(
        self, call: Call, snapshot: Snapshot | None, surface: str, *, can_change: bool = True
    ) -> tuple[Outcome, Approval | None]:
        identity = self._caller.identity
        await self._decider.count(call, snapshot, identity)
        settled = Settled(self._decider.decide(call, snapshot, identity))
        if not can_change:
            settled = Settled(_too_late(settled.outcome))
        if settled.outcome.verdict == "pending_approval":
            if snapshot is None or self._holds is None or not self._holds.are_available:
                return close_hold(settled.outcome), None
            settled = await self._holds.settle_hook(surface, call, settled.outcome, snapshot, identity)
        return settled.outcome, settled.approval

    def _beforehand(self, tool: Tool, snapshot: Snapshot | None) -> Outcome | None:
        """The outcome of a tool that the vendor runs, where it denies it: nobody sees its calls before."""
        call, _ = self._call(tool, UNKNOWN, RESPONSE)
        for part in call.parts:
            part.counted = Within()
        outcome = _too_late(self._decider.decide(call, snapshot, self._caller.identity))
        return None if outcome.allowed else outcome

    def _unreadable(self, call: Call, snapshot: Snapshot | None, fault: Malformed) -> Outcome:
        """Denies a call whose arguments nobody can know, by the rule that may be about it if there is one."""
        outcome = self._decider.decide(call, snapshot, self._caller.identity)
        if outcome.verdict == "deny":
            return outcome
        return outcome.changed("deny", f"its arguments cannot be known: {fault.message}", "arguments_unknown")

    async def _recorded(
        self,
        surface: str,
        call: Call,
        outcome: Outcome,
        approval: Approval | None,
        snapshot: Snapshot | None,
        started: float,
        rewrite: Rewrite | None = None,
    ) -> Judged:
        revision = "" if snapshot is None else snapshot.revision
        judged = Judged(call, outcome, new_decision_id(), revision, approval, rewrite)
        kept = self._decider.record(
            surface, call, outcome, snapshot, judged.decision_id, started, self._caller.identity
        )
        if kept is not None:
            await kept
        return judged


def _too_late(outcome: Outcome) -> Outcome:
    """The outcome of a call that ran before anybody could ask or rewrite."""
    if outcome.verdict in _PLAIN or outcome.verdict == "deny":
        return outcome
    reason = f"{outcome.reason} (the vendor runs this tool itself, so it can only be allowed or denied)"
    return outcome.changed("deny", reason, outcome.reason_code)


def _rewrite(outcome: Outcome, call: Call) -> Rewrite | None:
    if not outcome.allowed or outcome.sanitize is None:
        return None
    args = arguments(outcome, call)
    assert isinstance(args, dict)
    found: Document = args
    return None if found == call.native_args else Rewrite(found)
