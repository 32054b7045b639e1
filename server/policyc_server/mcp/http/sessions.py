"""Ids of sessions as clients of this server see them: the upstream's own, and a proof of whose it is.

All callers share the credentials that go upstream, so there is nothing but this between one caller and the
session of another. The proof needs no memory: any worker and any replica on one store can check it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os

from policyc_server.store.store import Store

_DIGITS = 32
_SECRET = "mcp_sessions"


def open_sessions(store: Store | None) -> Sessions:
    """With a store's own secret; without one, sessions end with the process."""
    return Sessions(os.urandom(32) if store is None else store.secret(_SECRET))


class Sessions:
    """``secret`` is the one of every process that serves the same sessions."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def outward(self, server: str, key: str | None, session: str) -> str:
        """The id for the client with this key."""
        return f"{session}.{self._proof(server, key, session)}"

    def inward(self, server: str, key: str | None, given: str) -> str | None:
        """The upstream's id; None where the session is not one of this key's."""
        session, _, proof = given.rpartition(".")
        is_its_own = hmac.compare_digest(proof.encode(), self._proof(server, key, session).encode())
        return session if session and is_its_own else None

    def run(self, server: str, key: str | None, session: str) -> str:
        """What events and budgets call the session: no credential anywhere."""
        return self._proof(server, key, f"run of {session}")

    def _proof(self, server: str, key: str | None, session: str) -> str:
        text = json.dumps([server, key, session]).encode()
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()[:_DIGITS]
