"""Lets in who has a key, as far as its role goes."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from policyc_server.auth.identity import Identity, identity_of, set_identity
from policyc_server.auth.keyring import Keyring
from policyc_server.auth.permissions import is_open, roles_for
from policyc_server.errors import ApiError
from policyc_server.gateway.entrance import Entrance
from policyc_server.gateway.paths import PREFIX

_STANDS = "policyc.stands"


class Keys:
    """Without any key the app below is open: such a server listens on loopback alone."""

    def __init__(self, app: ASGIApp, keyring: Keyring, entrance: Entrance) -> None:
        self._app = app
        self._keyring = keyring
        self._entrance = entrance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_open(scope["path"]):
            if not self._keyring.is_empty:
                set_identity(scope, self._admit(scope))
            scope[_STANDS] = self._stands
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope) -> Identity:
        identity = self._identity(scope)
        if identity is None:
            raise _unauthorized("send a key as `Authorization: Bearer KEY`; `policyc keys create` makes one")
        roles = roles_for(scope["method"], scope["path"])
        if identity.role not in roles:
            has = f"the key {identity.key!r} has the role {identity.role}"
            raise ApiError(403, "forbidden", f"{has}; this needs {' or '.join(sorted(roles))}")
        return identity

    def _identity(self, scope: Scope) -> Identity | None:
        secret = self._entrance.secret(scope) if scope["path"].startswith(PREFIX) else _bearer(scope)
        return None if secret is None else self._keyring.identity(secret)

    def _stands(self, scope: Scope) -> bool:
        admitted = identity_of(scope)
        # Who came without a key is out as soon as there is one.
        return self._keyring.is_empty if admitted is None else admitted == self._identity(scope)


def stands(scope: Scope) -> bool:
    """Whether what let a request in still does: an answer may take longer than its key lasts."""
    check: Callable[[Scope], bool] = scope[_STANDS]
    return check(scope)


def check_stands(scope: Scope) -> None:
    """Raises ApiError 401 where the key was revoked meanwhile."""
    if not stands(scope):
        raise _unauthorized("the key was revoked while the answer was waited for")


def _unauthorized(message: str) -> ApiError:
    return ApiError(401, "unauthorized", message, headers=((b"www-authenticate", b"Bearer"),))


def _bearer(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, secret = value.partition(b" ")
            return secret.strip().decode("latin-1") if scheme.lower() == b"bearer" else None
    return None
