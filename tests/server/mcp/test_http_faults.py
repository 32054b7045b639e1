"""Servers over HTTP that are slow, broken or not what their entry says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from server.mcp.material import write_policy
from server.process import ServerProcess, eventually

pytestmark = pytest.mark.slow

TWICE = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]},"result":{"tools":[]}}'
LISTED = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"tools": [{"name": "get"}, {"name": "drop"}, {"name": "x" * 3000}]},
    }
).encode()


class Upstream(BaseHTTPRequestHandler):
    """Answers by the path; what it was sent is in ``seen``."""

    seen: list[dict[str, str]] = []  # noqa: RUF012

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.seen.append({name.lower(): value for name, value in self.headers.items()})
        getattr(self, self.path.strip("/"))()

    def unauthorized(self) -> None:
        self._answer(401, b"{}", **{"WWW-Authenticate": "Bearer resource_metadata=x"})

    def redirect(self) -> None:
        self._answer(307, b"", Location="http://169.254.169.254/")

    def slow(self) -> None:
        time.sleep(3)
        self._answer(200, b"{}")

    def twice(self) -> None:
        self._answer(200, TWICE)

    def large(self) -> None:
        self._answer(200, LISTED)

    def broken(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        event = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n'
        self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.close_connection = True

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(body))}.items():
            self.send_header(name, value)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def upstream() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


NAMES = ("unauthorized", "redirect", "slow", "twice", "large", "broken")


@pytest.fixture
def post(
    serve: Callable[..., ServerProcess], upstream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], httpx.Response]:
    monkeypatch.setenv("CRM_TOKEN", "of-the-operator")
    more = "headers: {X-Api-Key: 'key ${CRM_TOKEN}'}, answer_timeout: 1, list_limit: 2048"
    entries = [f"  {name}: {{url: '{upstream}/{name}', {more}}}" for name in NAMES]
    settings = tmp_path / "settings.yaml"
    settings.write_text("\n".join(["mcp_servers:", *entries, ""]), "utf-8")
    server = serve(write_policy(tmp_path / "bundle"), "--settings", settings)
    eventually(lambda: server.process.poll() is not None or "serving" in server.stderr, 120)
    server.ready()
    assert "changed tools of MCP servers go unnoticed" in server.stderr

    def send(name: str) -> httpx.Response:
        document = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = {"accept": "application/json, text/event-stream", "cookie": "c"}
        return httpx.post(f"{server.url}/mcp/{name}", json=document, headers=headers, timeout=60)

    return send


def test_a_server_that_fails_is_an_error_of_the_request(post: Callable[[str], httpx.Response]) -> None:
    for name, said in (
        ("unauthorized", "answers with HTTP 401"),
        ("redirect", "answers with HTTP 307"),
        ("slow", "does not answer within 1 s"),
        ("twice", "cannot be used"),
        ("large", "has more than 2048 bytes"),
    ):
        answer = post(name)
        assert answer.status_code == 502, name
        assert answer.json()["id"] == 1
        assert said in answer.json()["error"]["message"]
        assert "www-authenticate" not in answer.headers
        assert "location" not in answer.headers
    # A stream that breaks off is no stream that ended.
    with pytest.raises(httpx.RemoteProtocolError):
        post("broken")
    sent = Upstream.seen[-1]
    assert sent["x-api-key"] == "key of-the-operator"
    assert "cookie" not in sent
    assert "authorization" not in sent
