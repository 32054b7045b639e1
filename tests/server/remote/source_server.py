"""A web server whose answers a test sets, on real sockets."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Asked:
    """What one request carried."""

    path: str
    headers: dict[str, str]

    @property
    def etag(self) -> str | None:
        return self.headers.get("if-none-match")


@dataclass
class Answers:
    """What is answered from now on, and what was asked so far."""

    content: bytes = b""
    etag: str | None = None
    status: int = 200
    is_conditional: bool = True
    """Whether If-None-Match with the ETag is answered 304."""
    etag_on_304: bool = True
    cut_at: int | None = None
    """Close the connection after this many bytes of the content."""
    pause: float = 0.0
    """Seconds before the answer, and between its parts."""
    claimed_length: int | None = None
    location: str | None = None
    asked: list[Asked] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/bundles/payments.tar.gz"

    def full_answers(self) -> int:
        return sum(1 for asked in self.asked if asked.etag is None or asked.etag != self.etag)


@contextmanager
def source_server(port: int = 0, tls: ssl.SSLContext | None = None) -> Iterator[Answers]:
    answers = Answers()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()})
            answers.asked.append(asked)
            time.sleep(answers.pause)
            is_same = answers.is_conditional and answers.etag is not None and asked.etag == answers.etag
            if answers.status == 200 and is_same:
                self.send_response(304)
                if answers.etag_on_304:
                    self.send_header("etag", answers.etag or "")
                self.end_headers()
                return
            self._full()

        def _full(self) -> None:
            content = answers.content
            self.send_response(answers.status)
            if answers.etag is not None:
                self.send_header("etag", answers.etag)
            if answers.location is not None:
                self.send_header("location", answers.location)
            length = len(content) if answers.claimed_length is None else answers.claimed_length
            self.send_header("content-length", str(length))
            self.end_headers()
            self.wfile.write(content[: answers.cut_at])
            if answers.cut_at is not None:
                self.close_connection = True

        def log_message(self, *_arguments: object) -> None: ...

        def handle(self) -> None:
            with suppress(OSError):  # a client that goes away, or does not like the certificate
                super().handle()

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    server = Server(("127.0.0.1", port), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    answers.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield answers
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
