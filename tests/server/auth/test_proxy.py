"""Only a configured proxy's address may name people."""

from __future__ import annotations

import pytest
from policyc_server.auth.proxy import TrustedProxy

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
