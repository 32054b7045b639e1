"""`policyc serve` from start to end, as an operator and its clients meet it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from server.material import PAYMENT, Keys, make_artifact, put, write_bundle
from server.process import ServerProcess, eventually

Serve = Callable[..., ServerProcess]
EVENT = {"tool_call": {"name": "code_execution", "args": {"code": "ls", "language": "bash"}}}


@pytest.fixture
def server(serve: Serve, artifact: Path) -> ServerProcess:
    return serve(artifact).ready()


def answer_of(connection: socket.socket) -> bytes:
    """One answer, read by its content-length."""
    file = connection.makefile("rb")
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = file.readline()
        assert line, "the connection was closed without an answer"
        head += line
    length = next(
        int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
    )
    return head + file.read(length)


def head(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


class TestStart:
    def test_it_says_what_it_serves_and_where(self, server: ServerProcess) -> None:
        assert server.bundle == "payments"
        assert server.port != 0
        assert server.status()["policy"]["revision"] == server.revision
        assert server.verdict(PAYMENT) == "allow"

    def test_a_folder_and_one_file_of_sources(self, serve: Serve, tmp_path: Path) -> None:
        folder = write_bundle(tmp_path / "b", 1000)
        for target in (folder, folder / "policies" / "agent.yaml"):
            assert serve(target).ready().verdict(PAYMENT) == "deny"

    def test_nothing_to_serve(self, serve: Serve, tmp_path: Path) -> None:
        server = serve(tmp_path / "missing.tar.gz")
        assert server.wait() == 2
        assert "file_unreadable" in server.stderr
        assert "missing.tar.gz" in server.stderr

    def test_sources_with_errors(self, serve: Serve, tmp_path: Path) -> None:
        folder = write_bundle(tmp_path / "b")
        (folder / "policies" / "agent.yaml").write_text("policy: agent\nrules:\n  - verdict: alow\n")
        server = serve(folder)
        assert server.wait() == 2
        assert "policies/agent.yaml:3:" in server.stderr

    def test_unsigned_with_a_key(self, serve: Serve, artifact: Path, keys: Keys) -> None:
        server = serve(artifact, "--verify-key", keys.public_file)
        assert server.wait() == 2
        assert "signature_missing" in server.stderr

    def test_sources_with_a_key(self, serve: Serve, tmp_path: Path, keys: Keys) -> None:
        server = serve(write_bundle(tmp_path / "b"), "--verify-key", keys.public_file)
        assert server.wait() == 2
        assert "sources_unsigned" in server.stderr

    def test_beyond_loopback_without_a_key(self, serve: Serve, artifact: Path) -> None:
        server = serve(artifact, "--host", "0.0.0.0")
        assert server.wait() == 2
        assert "keys_required" in server.stderr
        assert serve(artifact, "--host", "0.0.0.0", "--token", "secret").ready().port

    def test_a_port_in_use(self, serve: Serve, artifact: Path, server: ServerProcess) -> None:
        other = serve(artifact, "--port", str(server.port))
        assert other.wait() == 2
        assert str(server.port) in other.stderr

    def test_a_certificate_that_is_none(self, serve: Serve, artifact: Path) -> None:
        server = serve(artifact, "--tls-cert", artifact, "--tls-key", artifact)
        assert server.wait() == 2
        assert "error[tls]" in server.stderr


class TestShutdown:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_a_signal_ends_it_well(self, server: ServerProcess, number: signal.Signals) -> None:
        assert server.verdict(PAYMENT) == "allow"
        server.process.send_signal(number)
        assert server.wait() == 0
        assert "Traceback" not in server.stderr

    def test_requests_in_flight_are_answered(self, server: ServerProcess) -> None:
        body = json.dumps(PAYMENT).encode()
        with server.connect() as busy, server.connect() as idle:
            busy.sendall(head("/v1/evaluate", f"Content-Length: {len(body)}") + body[:10])
            eventually(lambda: server.client.get("/health").status_code == 200)
            server.process.send_signal(signal.SIGTERM)
            assert idle.recv(1) == b""
            busy.sendall(body[10:])
            answer = answer_of(busy)
            assert answer.startswith(b"HTTP/1.1 200")
            assert b'"verdict":"allow"' in answer
            assert busy.recv(1) == b""
        assert server.wait() == 0

    def test_a_request_that_never_ends_does_not_keep_it(self, serve: Serve, artifact: Path) -> None:
        server = serve(artifact, drain=1.0, deadline=60.0).ready()
        with server.connect() as busy:
            busy.sendall(head("/v1/evaluate", "Content-Length: 10") + b"{")
            server.client.get("/health")
            assert server.stop() == 0


class TestWire:
    """What only a real connection shows."""

    def upload(self, server: ServerProcess, path: str) -> bytes:
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        with server.connect() as connection:
            connection.sendall(head(path, "Transfer-Encoding: chunked"))
            for _ in range(40):
                connection.sendall(piece)
            connection.sendall(b"0\r\n\r\n")
            answer = answer_of(connection)
            body = json.dumps(PAYMENT).encode()
            connection.sendall(head("/v1/evaluate", f"Content-Length: {len(body)}") + body)
            assert b'"verdict":"allow"' in answer_of(connection)
        return answer

    def test_a_chunked_body_beyond_the_limit(self, server: ServerProcess) -> None:
        answer = self.upload(server, "/v1/enforce")
        assert answer.startswith(b"HTTP/1.1 413")
        assert b'"code":"body_too_large"' in answer

    def test_an_oversized_hook_event_is_denied(self, server: ServerProcess) -> None:
        for path, body in [("pre", b'"decision":"deny"'), ("post", b"{}")]:
            answer = self.upload(server, f"/v1/hooks/{path}_tool_execution")
            assert answer.startswith(b"HTTP/1.1 200")
            assert body in answer

    def test_a_late_body(self, serve: Serve, artifact: Path) -> None:
        server = serve(artifact, deadline=0.2).ready()
        for path, status, body in [
            ("/v1/enforce", b"408", b'"code":"timeout"'),
            ("/v1/hooks/pre_tool_execution", b"200", b'"decision":"deny"'),
            ("/v1/hooks/post_tool_execution", b"200", b"{}"),
        ]:
            with server.connect() as connection:
                connection.sendall(head(path, "Content-Length: 10") + b"{")
                answer = answer_of(connection)
            assert answer.startswith(b"HTTP/1.1 " + status)
            assert body in answer

    def test_a_client_that_leaves(self, server: ServerProcess) -> None:
        for _ in range(5):
            with server.connect() as connection:
                connection.sendall(head("/v1/enforce", "Content-Length: 10") + b"{")
        assert server.verdict(PAYMENT) == "allow"
        eventually(lambda: 'refused_total{code="client_gone"} 5.0' in server.client.get("/metrics").text)
        assert server.stop() == 0
        assert "ERROR" not in server.stderr

    def test_headers_without_end(self, server: ServerProcess) -> None:
        sent = 0
        with server.connect() as connection, contextlib.suppress(ConnectionError):
            connection.sendall(b"POST /v1/enforce HTTP/1.1\r\nHost: localhost\r\n")
            while sent < 10_000:
                connection.sendall(b"x-%d: " % sent + b"x" * 1000 + b"\r\n")
                sent += 1
                time.sleep(0.001)
        assert 64 <= sent < 2000
        assert server.verdict(PAYMENT) == "allow"

    def test_requests_in_one_packet(self, server: ServerProcess) -> None:
        body = json.dumps(PAYMENT).encode()
        request = head("/v1/evaluate", f"Content-Length: {len(body)}") + body
        with server.connect() as connection:
            connection.sendall(request * 3)
            received = b""
            while received.count(b'"verdict":"allow"') < 3:
                received += connection.recv(65536)

    def test_a_hanging_decision_log(self, serve: Serve, artifact: Path, tmp_path: Path) -> None:
        """Row 19: sinks that hang delay neither decisions nor reloads."""
        os.mkfifo(tmp_path / "pipe")
        server = serve(artifact, "--decisions-log", tmp_path / "pipe").ready()
        started = time.monotonic()
        for _ in range(200):
            assert server.verdict(PAYMENT) == "allow"
        assert time.monotonic() - started < 5
        assert server.status()["decision_log"]["written"] == 0
        assert server.stop() == 0

    def test_the_decision_log_is_complete_after_a_stop(
        self, serve: Serve, artifact: Path, tmp_path: Path
    ) -> None:
        server = serve(artifact, "--decisions-log", tmp_path / "log").ready()
        ids = [server.post("/v1/evaluate", PAYMENT).json()["decision_id"] for _ in range(50)]
        assert server.stop() == 0
        logged = [json.loads(line)["decision_id"] for line in (tmp_path / "log").read_text().splitlines()]
        assert logged == ids


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = tmp_path / "tls.crt", tmp_path / "tls.key"
    cert_file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    key_file.write_bytes(key.private_bytes(*private))
    return cert_file, key_file


def test_tls(serve: Serve, artifact: Path, certificate: tuple[Path, Path]) -> None:
    cert_file, key_file = certificate
    server = serve(artifact, "--tls-cert", cert_file, "--tls-key", key_file).ready()
    assert server.scheme == "https"
    trusting = ssl.create_default_context(cafile=str(cert_file))
    with httpx.Client(base_url=f"https://localhost:{server.port}", verify=trusting) as client:
        answer = client.post("/v1/evaluate", json=PAYMENT, headers={"host": f"localhost:{server.port}"})
        assert answer.json()["verdict"] == "allow"
    trusting.maximum_version = ssl.TLSVersion.TLSv1_2
    with trusting.wrap_socket(server.connect(), server_hostname="localhost") as connection:
        name, version, _ = connection.cipher() or ("", "", 0)
        assert "GCM" in name or "CHACHA20" in name
        assert version == "TLSv1.2"
    assert server.stop() == 0


def test_the_token_comes_from_the_environment(
    serve: Serve, artifact: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLICYC_TOKEN", "secret")
    server = serve(artifact).ready()
    assert server.post("/v1/evaluate", PAYMENT).status_code == 401
    assert server.client.get("/health").status_code == 200
    server.client.headers["authorization"] = "Bearer secret"
    assert server.verdict(PAYMENT) == "allow"


class TestVersions:
    """Signed artifacts and the record of what was served, across processes."""

    @pytest.fixture
    def path(self, tmp_path: Path, keys: Keys) -> Path:
        path = tmp_path / "p.tar.gz"
        put(path, make_artifact(tmp_path / "sources", 100000, key=keys.signing, version=5))
        return path

    @pytest.fixture
    def start(self, serve: Serve, path: Path, tmp_path: Path, keys: Keys) -> Serve:
        options = ("--verify-key", keys.public_file, "--state", tmp_path / "state")
        return lambda: serve(path, *options)

    def test_a_restart_refuses_what_is_older(
        self, start: Serve, path: Path, tmp_path: Path, keys: Keys
    ) -> None:
        server = start().ready()
        put(path, make_artifact(tmp_path / "sources", 1000, key=keys.signing, version=7))
        eventually(lambda: server.verdict(PAYMENT) == "deny")
        assert server.stop() == 0
        put(path, make_artifact(tmp_path / "sources", 100000, key=keys.signing, version=6))
        server = start()
        assert server.wait() == 2
        assert "version_too_old" in server.stderr
        put(path, make_artifact(tmp_path / "sources", 100000, key=keys.signing, version=8))
        assert start().ready().verdict(PAYMENT) == "allow"

    def test_a_damaged_record_is_said_at_start(self, start: Serve, tmp_path: Path) -> None:
        (tmp_path / "state").mkdir()
        (tmp_path / "state" / "served.json").write_text("{")
        server = start()
        assert server.wait() == 2
        assert "state_damaged" in server.stderr

    @pytest.mark.slow
    def test_kill_9_leaves_no_damaged_record(
        self, start: Serve, path: Path, tmp_path: Path, keys: Keys
    ) -> None:
        version = 10
        for _ in range(4):
            server = start().ready()
            contents = []
            for cap in range(1, 6):
                version += 1
                signed = make_artifact(tmp_path / "sources", cap, key=keys.signing, version=version)
                contents.append(signed)
            for content in contents:
                put(path, content)
                time.sleep(0.06)
            server.kill()
            json.loads((tmp_path / "state" / "served.json").read_bytes())
        assert start().ready().status()["policy"]["version"] == version


def test_reloads_under_load_fail_no_request(serve: Serve, tmp_path: Path) -> None:
    """Row 20: swaps under parallel decisions; none fails, each is decided by the revision that it names."""
    path = tmp_path / "p.tar.gz"
    contents = {cap: make_artifact(tmp_path / "sources", cap) for cap in (1000, 100000)}
    put(path, contents[100000])
    server = serve(path).ready()
    verdicts: dict[str, set[str]] = {}
    errors: list[object] = []
    is_over = threading.Event()

    def decide() -> None:
        try:
            with httpx.Client(base_url=server.url) as client:
                while not is_over.is_set():
                    decision = client.post("/v1/evaluate", json=PAYMENT).raise_for_status().json()
                    verdicts.setdefault(decision["revision"], set()).add(decision["verdict"])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=decide) for _ in range(4)]
    for thread in threads:
        thread.start()
    for cap in (1000, 100000) * 5:
        before = server.status()["reload"]["activated"]
        put(path, contents[cap])
        eventually(lambda before=before: server.status()["reload"]["activated"] > before)
    is_over.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(map(sorted, verdicts.values())) == [["allow"], ["deny"]]
    assert server.stop() == 0
