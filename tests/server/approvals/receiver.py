"""Whoever is told of new holds: a server on loopback that keeps what it was sent."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    """``deliveries`` are (headers, body); the first answers have ``statuses``, the rest 200. Nothing is
    answered before ``answering`` is set."""

    def __init__(self, port: int = 0, statuses: tuple[int, ...] = ()) -> None:
        self.answering = answering = threading.Event()
        answering.set()
        self.deliveries: list[tuple[dict[str, str], bytes]] = []
        waiting = list(statuses)
        received = self.deliveries

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                received.append((dict(self.headers.items()), body))
                answering.wait(60)
                self.send_response(waiting.pop(0) if waiting else 200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self._http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hold"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        self.answering.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
