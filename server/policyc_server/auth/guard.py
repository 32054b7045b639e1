"""Lets in who has a key, as far as its role goes."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from policyc_server.auth.identity import Identity, set_identity
from policyc_server.auth.keyring import Keyring
from policyc_server.auth.permissions import is_open, roles_for
from policyc_server.errors import ApiError


class Keys:
    """Without any key the app below is open: such a server listens on loopback alone."""

    def __init__(self, app: ASGIApp, keyring: Keyring) -> None:
        self._app = app
        self._keyring = keyring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_open(scope["path"]) and not self._keyring.is_empty:
            set_identity(scope, self._admit(scope))
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope) -> Identity:
        secret = _bearer(scope)
        identity = None if secret is None else self._keyring.identity(secret)
        if identity is None:
            raise ApiError(
                401,
                "unauthorized",
                "send a key as `Authorization: Bearer KEY`; `policyc keys create` makes one",
                headers=((b"www-authenticate", b"Bearer"),),
            )
        roles = roles_for(scope["method"], scope["path"])
        if identity.role not in roles:
            has = f"the key {identity.key!r} has the role {identity.role}"
            raise ApiError(403, "forbidden", f"{has}; this needs {' or '.join(sorted(roles))}")
        return identity


def _bearer(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, secret = value.partition(b" ")
            return secret.strip().decode("latin-1") if scheme.lower() == b"bearer" else None
    return None
