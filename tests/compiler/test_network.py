"""Hosts that a sandbox reaches, and credentials in sources."""

from __future__ import annotations

import pytest

from policyc.compiler.network import is_allowed, is_blocked_host, url_host
from policyc.compiler.secrets import carries_credential, credential_without_variable, looks_like_token


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Policy.Example.com/v1", "policy.example.com"),
        ("https://example.com.:8443/", "example.com"),
        ("http://[::1]:80/", "::1"),
        ("example.com", None),
        ("https://", None),
        ("https:///path", None),
        ("ftp://example.com", None),
        ("https://example.com:port/", None),
        ("https://[::1/", None),
        ("https://exa mple.com/", None),
        ("https://exämple.com/", None),
        ("https://example.com/\n", None),
    ],
)
def test_the_host_of_a_url(url: str, host: str | None) -> None:
    assert url_host(url) == host


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "a.localhost",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "10.1.2.3",
        "192.168.0.1",
        "169.254.169.254",
        "::1",
        "::ffff:127.0.0.1",
        "fd00::1",
        "fe80::1",
        "0.0.0.0",
        "evaluator",
        "a.internal",
        "printer.local",
    ],
)
def test_a_local_host_is_blocked(host: str) -> None:
    assert is_blocked_host(host)


@pytest.mark.parametrize(
    "host", ["example.com", "a.b.example.com", "8.8.8.8", "2606:4700::1111", "localhost.example"]
)
def test_a_public_host_is_not(host: str) -> None:
    assert not is_blocked_host(host)


@pytest.mark.parametrize(
    ("host", "domains", "allowed"),
    [
        ("a.example.com", ["*"], True),
        ("a.example.com", ["A.Example.com"], True),
        ("a.example.com", ["*.example.com"], True),
        ("a.b.example.com", ["*.example.com"], True),
        ("example.com", ["*.example.com"], False),
        ("badexample.com", ["*.example.com"], False),
        ("a.example.com", ["example.com"], False),
        ("a.example.com", [], False),
    ],
)
def test_what_an_allowlist_covers(host: str, domains: list[str], allowed: bool) -> None:
    assert is_allowed(host, domains) == allowed


@pytest.mark.parametrize(
    "header",
    [
        "Authorization",
        "proxy-authorization",
        "X-Api-Key",
        "x-goog-api-key",
        "Cookie",
        "X-Auth-Token",
        "Client-Secret",
    ],
)
def test_headers_for_credentials(header: str) -> None:
    assert carries_credential(header, "x")
    assert credential_without_variable(header, "x")
    assert not credential_without_variable(header, "Bearer ${TOKEN}")
    assert credential_without_variable(header, "Bearer ${not a name}")


@pytest.mark.parametrize(
    "header", ["X-Author", "Idempotency-Key", "X-Event-Source", "Accept", "X-Keyboard", "Keep-Alive"]
)
def test_other_headers(header: str) -> None:
    assert not carries_credential(header, "agent-sandbox")


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("Bearer abcdefgh12345", True),
        ("curl -H 'Authorization: Bearer eyJhbGciOiJI.eyJzdWIiOiIx.c2ln' x", True),
        ("sk-proj-abcdefghijklmnop", True),
        ("ghp_abcdefghijklmnopqrstuv", True),
        ("AKIAABCDEFGHIJKLMNOP", True),
        ("-----BEGIN RSA PRIVATE KEY-----", True),
        ("Bearer ${TOKEN}", False),
        ("Basic authentication failed", False),
        ("python3 /.agents/hooks-scripts/gate.py", False),
        ("task-runner --desk-top", False),
    ],
)
def test_what_tokens_look_like(text: str, token: bool) -> None:
    assert looks_like_token(text) == token
