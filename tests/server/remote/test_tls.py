"""A bundle by https: a certificate of a trusted authority, and one of another."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
import trustme

from server.material import PAYMENT, make_artifact
from server.process import ServerProcess, eventually
from server.remote.source_server import source_server

pytestmark = pytest.mark.slow


def context(authority: trustme.CA) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(made)
    return made


def test_only_a_source_with_a_trusted_certificate_is_followed(
    serve: Callable[..., ServerProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted, other = trustme.CA(), trustme.CA()
    trusted.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    strict, lax = (make_artifact(tmp_path / "sources", cap) for cap in (1, 100_000))
    with source_server(tls=context(trusted)) as source:
        source.content, source.etag = strict, '"e1"'
        url = source.url.replace("http:", "https:")
        server = serve(url, "--refresh", "0.1", "--state", tmp_path / "state").ready()
        assert server.verdict(PAYMENT) == "deny"
    with source_server(source.port, context(other)) as impostor:
        impostor.content, impostor.etag = lax, '"e2"'
        eventually(lambda: "certificate" in str(server.status()["reload"]["error"]))
        assert server.error() == "download_failed"
        assert server.verdict(PAYMENT) == "deny"
        assert impostor.asked == []
    with source_server(source.port, context(trusted)) as back:
        back.content, back.etag = lax, '"e2"'
        eventually(lambda: server.verdict(PAYMENT) == "allow")
