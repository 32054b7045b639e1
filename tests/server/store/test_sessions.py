"""Sessions last until they are over, ended, or without their key."""

from __future__ import annotations

from policyc_server.store.keys import Key, hashed
from policyc_server.store.store import Store

DIGEST = "d" * 64


def test_a_session_has_its_time(store: Store) -> None:
    store.sessions.add(DIGEST, "rita", 100, 200)
    assert store.sessions.key(DIGEST, 199) == "rita"
    assert store.sessions.key(DIGEST, 200) is None
    assert store.sessions.key("e" * 64, 150) is None


def test_a_session_that_was_ended_is_over(store: Store) -> None:
    store.sessions.add(DIGEST, "rita", 100, 200)
    store.sessions.end(DIGEST)
    assert store.sessions.key(DIGEST, 150) is None


def test_a_revoked_key_ends_its_sessions(store: Store) -> None:
    store.keys.create(Key("rita", "reviewer", None, None, 1, None), "secret")
    store.sessions.add(DIGEST, hashed("secret"), 100, 200)
    store.keys.revoke("rita", 120)
    assert store.sessions.key(DIGEST, 150) is None


def test_sessions_that_are_over_go(store: Store) -> None:
    store.sessions.add(DIGEST, "rita", 100, 200)
    store.sessions.add("e" * 64, "rita", 100, 300)
    store.sessions.prune(200)
    assert store.sessions.key(DIGEST, 199) is None
    assert store.sessions.key("e" * 64, 299) == "rita"
