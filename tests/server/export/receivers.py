"""Receivers of events on real sockets."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Collector:
    """An OTLP collector: what it took, and how it answers."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.status = 200
        self.answer = b"{}"
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/logs"

    def records(self) -> list[dict[str, Any]]:
        return [
            record
            for request in self.requests
            for resource in request["resourceLogs"]
            for scope in resource["scopeLogs"]
            for record in scope["logRecords"]
        ]

    def ids(self) -> list[str]:
        return [attributes(record)["policyc.id"] for record in self.records()]


def attributes(record: dict[str, Any]) -> dict[str, Any]:
    return {found["key"]: next(iter(found["value"].values())) for found in record["attributes"]}


@contextmanager
def collector(port: int = 0) -> Iterator[Collector]:
    collected = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if collected.status == 200:
                collected.requests.append(json.loads(body))
                collected.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(collected.status)
            self.end_headers()
            self.wfile.write(collected.answer)

        def log_message(self, *_arguments: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    collected.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield collected
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class StreamReceiver:
    """A syslog server by TCP, or TLS with a ``context``: messages by octet counting."""

    def __init__(self, context: ssl.SSLContext | None = None, port: int = 0) -> None:
        self.messages: list[bytes] = []
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection = self._listener.accept()[0]
                with suppress(OSError):
                    if self._context is not None:
                        connection = self._context.wrap_socket(connection, server_side=True)
                    self._connections.append(connection)
                    threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection: socket.socket) -> None:
        with suppress(OSError, ValueError), connection.makefile("rb") as file:
            while True:
                length = b""
                while (char := file.read(1)) not in (b" ", b""):
                    length += char
                if not length:
                    return
                self.messages.append(file.read(int(length)))

    def drop(self) -> None:
        """Closes what is connected, as a server that restarts does."""
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self._connections.clear()

    def close(self) -> None:
        self.drop()
        # A close alone does not wake the thread that accepts.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)
