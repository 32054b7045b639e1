"""One keep-alive connection of a load, as little above the socket as a client can be."""

from __future__ import annotations

import asyncio
import re
from time import monotonic_ns
from typing import cast

from policyc.bench.load_run import LoadRun

_HEAD_END = b"\r\n\r\n"
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)


class Connection(asyncio.Protocol):
    """One request at a time, the next as soon as the answer is complete. A lost one is a failure."""

    def __init__(self, run: LoadRun) -> None:
        self._run = run
        self._received = b""
        self._size = 0
        self._is_done = False
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._send()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._size:
            self._size = self._answer_size()
        if self._size and len(self._received) >= self._size:
            received, self._received, self._size = self._received, b"", 0
            status, body = int(received[9:12]), received[received.index(_HEAD_END) + 4 :]
            self._run.answered(self._started, status, body, self._expected)
            self._send()

    def connection_lost(self, _error: Exception | None) -> None:
        if not self._is_done:
            self._run.failures["connection lost"] += 1
        if not self.closed.done():
            self.closed.set_result(None)

    def _send(self) -> None:
        if self._run.is_over:
            self._is_done = True
            self._transport.close()
            return
        self._expected = self._run.take()
        self._started = monotonic_ns()
        self._transport.write(self._expected[0])

    def _answer_size(self) -> int:
        """Of head and body, or 0 while the head is not complete, or a body in chunks."""
        end = self._received.find(_HEAD_END)
        if end < 0:
            return 0
        if _CHUNKED.search(self._received, 0, end):
            return len(self._received) if self._received.endswith(_LAST_CHUNK) else 0
        length = _LENGTH.search(self._received, 0, end)
        return end + len(_HEAD_END) + (int(length[1]) if length else 0)
