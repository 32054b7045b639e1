"""From a call that the policy holds to what its caller is told: wait, pass this once, or no."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.exc import SQLAlchemyError

from policyc.engine.model import Call, Outcome
from policyc.runs.canonical import canonical
from policyc.runs.holds import arguments_of, context_of, denied, joint_approvers, passed, redacted, refused
from policyc_server.approvals.approval import (
    APPROVED,
    CONSUMED,
    DENIED,
    EXPIRED,
    PENDING,
    RULE_CHANGED,
    Approval,
    Hold,
    approval_id,
)
from policyc_server.approvals.health import ApprovalHealth
from policyc_server.auth.identity import Identity
from policyc_server.auth.keyring import Keyring
from policyc_server.blocks import UNAVAILABLE
from policyc_server.clock import microseconds
from policyc_server.events.arguments import fingerprint, summary
from policyc_server.events.documents import moment
from policyc_server.snapshot import Snapshot
from policyc_server.store.approvals import ApprovalStore, TooManyHolds
from policyc_server.store.deliveries import Delivery
from policyc_server.store.patience import patiently

_log = logging.getLogger(__name__)

_OF_STATE = {CONSUMED: "approval_used", EXPIRED: "approval_expired", DENIED: "approval_denied"}
_STORE_FAILS = "held for approval, and the store of approvals fails: its operator sees why"
#: A longer name of an attempt is not kept whole, so it proves nothing.
_LONGEST_ATTEMPT = 200


@dataclass(frozen=True, slots=True)
class Settled:
    """The outcome that stands, and the approval that the call waits for where it is ``pending_approval``."""

    outcome: Outcome
    approval: Approval | None = None


class Holds:
    """Opens holds and lets approved calls through. ``fingerprints`` and ``tokens`` are secrets of the store;
    ``announce`` says what is delivered about a new hold."""

    def __init__(
        self,
        store: ApprovalStore,
        keyring: Keyring,
        health: ApprovalHealth,
        *,
        fingerprints: bytes,
        tokens: bytes,
        ttl: int,
        cap: int,
        announce: Callable[[Approval], list[Delivery]],
        process: str,
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._health = health
        self._fingerprints = fingerprints
        self._tokens = tokens
        self._ttl = ttl
        self._cap = cap
        self._announce = announce
        self._process = process

    @property
    def are_available(self) -> bool:
        """Whether there is somebody who could decide."""
        return self._keyring.has_reviewers

    async def settle(
        self,
        surface: str,
        call: Call,
        outcome: Outcome,
        snapshot: Snapshot,
        identity: Identity | None,
        token: str | None,
    ) -> Settled:
        """A held call of a caller that can send a ``token``."""
        parts = _parts(call, snapshot, identity)
        hold = self._hold(surface, call, outcome, parts, snapshot, identity)
        if hold is None:
            return Settled(refused(outcome, "approval_split"))
        if token is None:
            return await self._safely(self._open, hold, outcome)
        return _without_redacted(await self._safely(self._present, hold, outcome, token), parts)

    async def settle_hook(
        self, surface: str, call: Call, outcome: Outcome, snapshot: Snapshot, identity: Identity | None
    ) -> Settled:
        """A held call at a hook, where no header can travel: the approved call passes by being the same."""
        parts = _parts(call, snapshot, identity)
        hold = self._hold(surface, call, outcome, parts, snapshot, identity)
        if hold is None:
            return Settled(refused(outcome, "approval_split"))
        attempt = call.call_id
        if attempt is not None and len(attempt) > _LONGEST_ATTEMPT:
            attempt = None
        return _without_redacted(await self._safely(self._pass, hold, outcome, attempt), parts)

    async def _safely(
        self, act: Callable[..., Settled], hold: Hold, outcome: Outcome, *more: object
    ) -> Settled:
        try:
            settled = await patiently(act, hold, outcome, *more)
        except TooManyHolds:
            return Settled(refused(outcome, "approval_limit"))
        except SQLAlchemyError as error:
            self._health.failed(error)
            return Settled(outcome.changed("deny", f"{outcome.reason} ({_STORE_FAILS})", UNAVAILABLE))
        self._health.worked()
        return settled

    def _open(self, hold: Hold, outcome: Outcome) -> Settled:
        return _waits(outcome, self._stands(hold))

    def _present(self, hold: Hold, outcome: Outcome, token: str) -> Settled:
        found = self._store.get(approval_id(token), microseconds())
        if found is None or not hmac.compare_digest(found.token(self._tokens).encode(), token.encode()):
            return Settled(refused(outcome, "approval_unknown"))
        if found.hold != hold.identity:
            return Settled(refused(outcome, "approval_mismatch"))
        if found.rule_digest != hold.rule_digest and found.state not in (CONSUMED, DENIED):
            return self._open(hold, _asked_again(outcome))
        if found.state == APPROVED and self._store.consume(found.id, microseconds(), attempt=None):
            return _passed(outcome, found)
        return _waits(outcome, self._store.get(found.id, microseconds()) or found)

    def _pass(self, hold: Hold, outcome: Outcome, attempt: str | None) -> Settled:
        found = self._stands(hold, attempt)
        if found.state == APPROVED and not self._store.consume(found.id, microseconds(), attempt=attempt):
            # The same call was faster, on another connection or server: this one is asked about anew.
            found = self._stands(hold, attempt)
        elif found.state == APPROVED:
            return _passed(outcome, found)
        # Some agents run a hook twice for one call.
        return _passed(outcome, found) if found.state == CONSUMED else _waits(outcome, found)

    def _stands(self, hold: Hold, attempt: str | None = None) -> Approval:
        return self._store.open(
            hold,
            microseconds(),
            cap=self._cap,
            attempt=attempt,
            announce=self._announce,
            process=self._process,
        )

    def _hold(
        self,
        surface: str,
        call: Call,
        outcome: Outcome,
        parts: Sequence[Outcome],
        snapshot: Snapshot,
        identity: Identity | None,
    ) -> Hold | None:
        """The hold by the rules of all parts of the call; None where nobody may answer for all of them."""
        assert outcome.policy is not None
        assert outcome.rule is not None  # no policy holds by default
        rules = {
            part.rule: snapshot.rules[part.policy, part.rule]
            for part in parts
            if part.verdict == "pending_approval" and part.policy is not None and part.rule is not None
        }
        approvers = joint_approvers([each.approvers for each in rules.values()])
        if approvers is None:
            return None
        rule = rules.pop(outcome.rule)
        also = {label: each.digest for label, each in rules.items()}
        context = context_of(call) | ({"also_held_by": also} if also else {})
        return Hold(
            key=None if identity is None else identity.key,
            agent=call.agent,
            run=call.run or call.environment_id,
            session=call.session,
            surface=surface,
            stage=call.stage,
            tool=call.tool,
            policy=outcome.policy,
            rule=outcome.rule,
            rule_digest=rule.digest,
            revision=snapshot.revision,
            source=outcome.source,
            reason=outcome.reason,
            reason_code=outcome.reason_code,
            risk_factors=outcome.risk_factors,
            approvers=approvers,
            fingerprint=fingerprint(self._fingerprints, arguments_of(call)),
            args=canonical(call.native_args).decode(),
            args_masked=summary(call, snapshot.masks),
            context=canonical(context).decode(),
            ttl=min(each.ttl or self._ttl for each in (rule, *rules.values())),
        )


def _parts(call: Call, snapshot: Snapshot, identity: Identity | None) -> list[Outcome]:
    """What the policy says about each thing that the call does: an approval is for those that it holds."""
    return snapshot.evaluator.outcomes(call, None if identity is None else identity.policy)


def _without_redacted(settled: Settled, parts: Sequence[Outcome]) -> Settled:
    return replace(settled, outcome=redacted(settled.outcome, parts))


def _passed(outcome: Outcome, approval: Approval) -> Settled:
    return Settled(passed(outcome, approval.decided_by, approval.comment))


def _asked_again(outcome: Outcome) -> Outcome:
    reason = f"{outcome.reason} (the rule changed since it was held, so it is asked again)"
    return outcome.changed("pending_approval", reason, RULE_CHANGED)


def _waits(outcome: Outcome, approval: Approval) -> Settled:
    """The call waits for the approval, or why it waits for nothing."""
    if approval.state in (PENDING, APPROVED):
        return Settled(outcome, approval)
    if approval.state != DENIED:
        return Settled(refused(outcome, _OF_STATE[approval.state]))
    return Settled(denied(outcome, approval.decided_by, approval.comment, moment(approval.expires_at)))
