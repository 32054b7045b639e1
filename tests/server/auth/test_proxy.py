"""Only a configured proxy's address may name people."""

from __future__ import annotations

import pytest
from policyc_server.auth.proxy import Proxies, TrustedProxy

PROXY = TrustedProxy.of("X-User", ["10.0.0.0/8", "::1"], [("alice", "reviewer"), ("bob", "admin")])


@pytest.mark.parametrize(
    ("peer", "values", "known"),
    [
        ("10.1.2.3", [b"alice"], True),
        ("::ffff:10.1.2.3", [b"alice"], True),
        ("::1", [b"alice"], True),
        ("11.1.2.3", [b"alice"], False),
        ("127.0.0.1", [b"alice"], False),
        ("unix", [b"alice"], False),
        (None, [b"alice"], False),
        ("10.1.2.3", [b"alice", b"bob"], False),
        ("10.1.2.3", [b"alice", b"alice"], False),
        ("10.1.2.3", [b"Alice"], False),
        ("10.1.2.3", [b""], False),
        ("10.1.2.3", [], False),
    ],
)
def test_who_is_believed(peer: str | None, values: list[bytes], known: bool) -> None:
    headers = [(b"x-user", value) for value in values]
    scope = {"headers": headers, "client": None if peer is None else (peer, 4711)}
    found = PROXY.identity(scope)
    assert (found is not None) is known
    if found is not None:
        assert (found.key, found.role, found.agent) == ("alice", "reviewer", None)


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.1.2.3", ["192.0.2.7"], "192.0.2.7"),
        ("10.1.2.3", ["198.51.100.9, 192.0.2.7"], "192.0.2.7"),
        ("10.1.2.3", ["198.51.100.9", "192.0.2.7, 10.9.9.9"], "192.0.2.7"),
        ("10.1.2.3", ["nonsense"], "10.1.2.3"),
        ("10.1.2.3", [], "10.1.2.3"),
        ("11.1.2.3", ["192.0.2.7"], "11.1.2.3"),
        (None, ["192.0.2.7"], "unknown"),
    ],
)
def test_where_a_client_is(peer: str | None, forwarded: list[str], client: str) -> None:
    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    scope = {"headers": headers, "client": None if peer is None else (peer, 4711)}
    assert Proxies.of(["10.0.0.0/8"]).client(scope) == client


@pytest.mark.parametrize(
    ("peer", "scheme", "forwarded", "is_https"),
    [
        ("10.1.2.3", "http", [b"https"], True),
        ("10.1.2.3", "http", [b"https", b"http"], False),
        ("10.1.2.3", "http", [], False),
        ("11.1.2.3", "http", [b"https"], False),
        ("11.1.2.3", "https", [], True),
    ],
)
def test_whether_it_came_by_https(peer: str, scheme: str, forwarded: list[bytes], is_https: bool) -> None:
    headers = [(b"x-forwarded-proto", value) for value in forwarded]
    scope = {"headers": headers, "client": (peer, 4711), "scheme": scheme}
    assert Proxies.of(["10.0.0.0/8"]).is_https(scope) is is_https
