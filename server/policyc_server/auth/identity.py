"""Who sent a request, and the name that its calls carry."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.types import Scope

from policyc.engine.model import Call
from policyc_server.errors import ApiError

_IN_SCOPE = "policyc.identity"

AGENT = "agent"
REVIEWER = "reviewer"
ADMIN = "admin"
#: The id of the operator's ``--token``.
TOKEN = "token"


@dataclass(frozen=True)
class Identity:
    """A key by its id, and what it stands for. ``policy`` goes before the bundle's bindings."""

    key: str
    role: str
    agent: str | None = None
    policy: str | None = None


def set_identity(scope: Scope, identity: Identity) -> None:
    scope[_IN_SCOPE] = identity


def identity_of(scope: Scope) -> Identity | None:
    """None on a server without keys, which only its own machine can reach."""
    identity: Identity | None = scope.get(_IN_SCOPE)
    return identity


def sign_call(identity: Identity | None, call: Call) -> None:
    """Puts the key's agent on ``call``. Raises ApiError 403 where the call claims to be another's."""
    if identity is None or identity.role == ADMIN:
        return
    if call.agent is not None and call.agent != identity.agent:
        raise ApiError(
            403,
            "agent_mismatch",
            f"the key {identity.key!r} is of agent {identity.agent!r}: leave `agent` out, or send that name",
            path="$.agent",
        )
    for part in call.parts:
        part.agent = identity.agent
