"""Sessions of the console: a key once, then a cookie; or the name that a trusted proxy gives."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from policyc_server.auth.identity import ADMIN, REVIEWER, Identity
from policyc_server.auth.keyring import Keyring
from policyc_server.auth.proxy import TrustedProxy
from policyc_server.clock import microseconds
from policyc_server.store.keys import hashed
from policyc_server.store.reading import reading
from policyc_server.store.sessions import SessionStore

#: Seconds until one has to log in again.
LIFETIME = 12 * 3600
PATH = "/console"
_COOKIE = "policyc_session"
#: Marks a browser that has not logged in, so that nobody else can log it in.
_GUEST = "policyc_guest"
_ROLES = (REVIEWER, ADMIN)


@dataclass(frozen=True)
class Visitor:
    """Who looks at the console. Without an identity: whoever is on this machine, where no key was ever made.

    ``csrf`` is what this visitor's forms carry."""

    identity: Identity | None
    csrf: str
    has_session: bool = False

    @property
    def is_reviewer(self) -> bool:
        return self.identity is not None and self.identity.role == REVIEWER

    @property
    def is_admin(self) -> bool:
        return self.identity is not None and self.identity.role == ADMIN


class Sessions:
    """``secret`` signs the tokens of forms. A session ends with the secret it was
    opened with, also where another takes over the key's id."""

    def __init__(
        self, store: SessionStore, keyring: Keyring, secret: bytes, proxy: TrustedProxy | None
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._secret = secret
        self._proxy = proxy

    async def visitor(self, request: Request) -> Visitor | None:
        """Who sent ``request``; None where that takes a login. Raises ApiError 503."""
        identity = None if self._proxy is None else self._proxy.identity(request.scope)
        if identity is not None:
            return Visitor(identity, self._token(f"proxy {identity.key}"))
        cookie = request.cookies.get(_COOKIE)
        if cookie is not None:
            key = await reading(self._store.key, hashed(cookie), microseconds())
            identity = None if key is None else self._keyring.of_hash(key)
            if identity is not None and identity.role in _ROLES:
                return Visitor(identity, self._token(f"session {cookie}"), has_session=True)
        return Visitor(None, self._token("nobody")) if self._keyring.is_empty else None

    def admit(self, secret: str) -> Identity | None:
        """Whose key it is, where that one may log in."""
        identity = self._keyring.identity(secret)
        return identity if identity is not None and identity.role in _ROLES else None

    async def open(self, secret: str, response: Response, *, is_secure: bool) -> None:
        """Logs in whose key ``secret`` is, with ``response``. Raises ApiError 503."""
        cookie = secrets.token_urlsafe(32)
        now = microseconds()
        await reading(self._store.add, hashed(cookie), hashed(secret), now, now + LIFETIME * 1_000_000)
        _set(response, _COOKIE, cookie, is_secure=is_secure)
        response.delete_cookie(_GUEST, path=PATH)

    async def close(self, request: Request, response: Response) -> None:
        """Logs out. Raises ApiError 503."""
        cookie = request.cookies.get(_COOKIE)
        if cookie is not None:
            await reading(self._store.end, hashed(cookie))
            response.delete_cookie(_COOKIE, path=PATH)

    def guest(self, request: Request) -> str:
        """What names this browser until it has logged in."""
        return request.cookies.get(_GUEST) or secrets.token_urlsafe(16)

    def guest_token(self, guest: str) -> str:
        """The token of the login form."""
        return self._token(f"guest {guest}")

    def mark_guest(self, response: Response, guest: str, *, is_secure: bool) -> None:
        _set(response, _GUEST, guest, is_secure=is_secure)

    def _token(self, subject: str) -> str:
        return hmac.new(self._secret, subject.encode("utf-8", "replace"), "sha256").hexdigest()


def is_token(given: str | None, wanted: str) -> bool:
    return given is not None and hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _set(response: Response, name: str, value: str, *, is_secure: bool) -> None:
    response.set_cookie(
        name, value, max_age=LIFETIME, path=PATH, secure=is_secure, httponly=True, samesite="strict"
    )
