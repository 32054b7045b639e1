"""Who may decide which hold, and what stands after two tried."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from policyc_server.approvals.approval import APPROVED, DENIED, EXPIRED, PENDING, RULE_CHANGED, Approval
from policyc_server.approvals.health import ApprovalHealth
from policyc_server.auth.identity import REVIEWER, Identity
from policyc_server.auth.keyring import Keyring
from policyc_server.clock import microseconds
from policyc_server.errors import ApiError
from policyc_server.events.documents import moment
from policyc_server.store.approvals import ApprovalStore, Decision

LONGEST_COMMENT = 2_000


@dataclass(frozen=True)
class Reviewer:
    """A person who decides: by which name, from which address; ``agent`` is whose holds are not theirs.

    ``is_named_only``: decides only where the rule names them, because that is all that is known of them."""

    name: str
    origin: str
    agent: str | None = None
    is_named_only: bool = False


def reviewer(identity: Identity | None, origin: str) -> Reviewer:
    """The reviewer behind a key. Raises ApiError 403: also on loopback nobody decides without one."""
    if identity is None or identity.role != REVIEWER:
        raise ApiError(403, "reviewer_required", "deciding a hold needs a key of role reviewer")
    return Reviewer(identity.key, origin, identity.agent)


class Desk:
    """Decides holds: the first answer stands."""

    def __init__(self, store: ApprovalStore, keyring: Keyring, health: ApprovalHealth) -> None:
        self._store = store
        self._keyring = keyring
        self._health = health

    def decide(self, approval: str, by: Reviewer, *, approve: bool, comment: str | None) -> Approval:
        """The hold as decided. Raises ApiError 404, 403 and, where something else stands already, 409;
        503 where the store fails, and then nothing is decided. Blocks."""
        try:
            now = microseconds()
            found = self._store.get(approval, now)
            if found is None:
                raise unknown(approval)
            self._check(found, by)
            decision = Decision(approve, by.name, by.origin, comment)
            decided, is_first = self._store.decide(approval, decision, now, ttl=found.ttl)
        except SQLAlchemyError as error:
            self._health.failed(error)
            raise ApiError(503, "store_unavailable", "the store fails, so nothing was decided") from None
        self._health.worked()
        assert decided is not None
        if not is_first:
            raise _stands(decided)
        return decided

    def _check(self, approval: Approval, by: Reviewer) -> None:
        # Also who comes without it, by a callback or a proxy, has the key of that name.
        key = self._keyring.of_key(by.name)
        for agent in (by.agent, None if key is None else key.agent):
            if agent is not None and agent == approval.agent:
                raise ApiError(403, "own_agent", f"{by.name!r} is of agent {agent!r}, whose hold this is")
        named = approval.approvers
        if (named or by.is_named_only) and by.name not in named:
            who = ", ".join(named) or "nobody"
            raise ApiError(403, "not_an_approver", f"{by.name!r} is none of the rule's approvers: {who}")


def unknown(approval: str) -> ApiError:
    return ApiError(404, "not_found", f"there is no approval {approval[:100]!r}")


def _stands(approval: Approval) -> ApiError:
    """409 with what was decided and by whom."""
    if approval.state == EXPIRED and approval.decided_at is None:
        why = "its rule changed" if approval.cause == RULE_CHANGED else "nobody decided in time"
        return ApiError(409, "approval_expired", f"the hold is over: {why}", metadata=_decided(approval))
    assert approval.state != PENDING
    assert approval.decided_at is not None
    said = f"{_verdict(approval)} by {approval.decided_by} at {moment(approval.decided_at)} already"
    return ApiError(409, "approval_decided", said, metadata=_decided(approval))


def _decided(approval: Approval) -> dict[str, object]:
    at = approval.decided_at
    return {
        "approval_id": approval.id,
        "state": approval.state,
        "decision": None if at is None else _verdict(approval),
        "by": approval.decided_by,
        "at": None if at is None else moment(at),
        "comment": approval.comment,
    }


def _verdict(approval: Approval) -> str:
    """What was decided, also of what was used or ran out after that."""
    return DENIED if approval.state == DENIED else APPROVED
