"""The client's side of a wrapped server: lines from one descriptor, lines to another.

Each has a thread: a descriptor may be a pipe, a file or a terminal, and only pipes can be waited for
otherwise. The threads are daemons, since a client that never reads must not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import AsyncIterator

from policyc_server.mcp.stdio.lines import LineCutter, TooLong

_CHUNK = 1 << 16
#: Messages that were read and not handled yet; the client's own pipe holds it back after that.
_AHEAD = 16


class Client:
    """Made on the loop that uses it. ``source`` and ``sink`` are descriptors."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._read: asyncio.Queue[bytes | TooLong | None] = asyncio.Queue(_AHEAD)
        self._writes: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        for target, name in ((self._reading, "mcp-in"), (self._writing, "mcp-out")):
            threading.Thread(target=target, name=name, daemon=True).start()

    async def lines(self) -> AsyncIterator[bytes]:
        """Every line until the client closes its end. Raises TooLong."""
        while (line := await self._read.get()) is not None:
            if isinstance(line, TooLong):
                raise line
            yield line

    async def send(self, text: str) -> None:
        """Returns once the line is written. Raises OSError where nobody reads any more."""
        done = self._loop.create_future()
        self._writes.put((text.encode() + b"\n", done))
        await done

    def _reading(self) -> None:
        cutter = LineCutter()
        try:
            while chunk := os.read(self._source, _CHUNK):
                for line in cutter.feed(chunk):
                    self._put(line)
            for line in cutter.close():
                self._put(line)
        except TooLong as error:
            self._put(error)
        except OSError:
            pass
        self._put(None)

    def _put(self, item: bytes | TooLong | None) -> None:
        asyncio.run_coroutine_threadsafe(self._read.put(item), self._loop).result()

    def _writing(self) -> None:
        while True:
            rest, done = self._writes.get()
            try:
                while rest:
                    rest = rest[os.write(self._sink, rest) :]
            except OSError as error:
                self._loop.call_soon_threadsafe(_fail, done, error)
            else:
                self._loop.call_soon_threadsafe(_finish, done)


def _finish(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


def _fail(done: asyncio.Future[None], error: OSError) -> None:
    if not done.done():
        done.set_exception(error)
