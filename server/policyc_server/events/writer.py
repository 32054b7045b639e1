"""Events on their way to the store: a bounded queue, and a thread that commits what is in it as a batch."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from dataclasses import dataclass

from sqlalchemy.exc import DataError, SQLAlchemyError

from policyc_server.events.event import Completion, Event
from policyc_server.store.events import EventStore
from policyc_server.store.patience import PATIENCE

_log = logging.getLogger(__name__)

#: Seconds between looks at the queue. Being woken by each event would make threads take turns for each, which
#: costs requests more than the event itself.
_INTERVAL = 0.05
_BATCH = 2_000
_RETRY_AFTER = 1.0
#: The fault of a value, not of the database.
_UNFIT = (DataError, ArithmeticError, TypeError, ValueError)


@dataclass(frozen=True)
class WriterStatus:
    """What became of the events so far; ``error`` is why the store takes none now."""

    written: int
    lost: int
    waiting: int
    error: str | None


class NotRecorded(RuntimeError):
    """An event whose commit was waited for and did not happen."""


class _Waiting:
    """Whoever waits for a commit, on the event loop of the request."""

    __slots__ = ("_loop", "future")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.future: asyncio.Future[None] = self._loop.create_future()

    def settle(self, error: str | None) -> None:
        self._loop.call_soon_threadsafe(self._set, error)

    def _set(self, error: str | None) -> None:
        if not self.future.done():
            if error is None:
                self.future.set_result(None)
            else:
                self.future.set_exception(NotRecorded(error))


_Entry = tuple[Event | Completion, _Waiting | None]


class EventWriter:
    """Takes events from requests without blocking them; what finds the queue full is lost and counted.

    An event that nobody waits for is written within 100 ms. One that is waited for is written at once, with
    whatever else is there; when that fails, its request hears of it and it is not tried again.
    """

    def __init__(self, store: EventStore, limit: int) -> None:
        self._store = store
        self._limit = limit
        self._queue: deque[_Entry] = deque()
        self._refused = 0  # counted by the requests' thread
        self._lost = 0  # counted by the writer
        self._written = 0
        self._in_hand = 0
        self._began: float | None = None
        self._error: str | None = None
        self._wake = threading.Event()
        self._closing = False
        # A daemon, since a database that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="event-writer", daemon=True)
        self._thread.start()

    def record(self, event: Event | Completion) -> None:
        """Queues ``event``."""
        if len(self._queue) >= self._limit or self._closing:
            self._refused += 1
        else:
            self._queue.append((event, None))

    async def commit(self, event: Event) -> None:
        """Returns once ``event`` is committed. Raises NotRecorded."""
        if len(self._queue) >= self._limit or self._closing:
            self._refused += 1
            raise NotRecorded("the queue of events is full")
        waiting = _Waiting()
        self._queue.append((event, waiting))
        self._wake.set()
        try:
            async with asyncio.timeout(PATIENCE):
                await waiting.future
        except TimeoutError:
            raise NotRecorded(f"the database has not answered within {PATIENCE:g} s") from None

    def status(self) -> WriterStatus:
        waiting = len(self._queue) + self._in_hand
        return WriterStatus(self._written, self._refused + self._lost, waiting, self._error or self._hangs())

    def _hangs(self) -> str | None:
        began = self._began
        if began is None or time.monotonic() - began < PATIENCE:
            return None
        return f"the database has not answered for {time.monotonic() - began:.0f} s"

    def close(self, timeout: float) -> None:
        """Writes what waits, for at most ``timeout`` seconds; the rest is lost and counted."""
        if self._closing:
            return
        self._closing = True
        self._wake.set()
        self._thread.join(timeout)
        if self._thread.is_alive():
            self._refused += len(self._queue) + self._in_hand

    def _run(self) -> None:
        while True:
            self._wake.wait(_INTERVAL)
            self._wake.clear()
            # Read before the queue is emptied: nothing comes after it.
            is_last = self._closing
            while self._queue:
                if not self._write_batch() and not is_last:
                    break
            if is_last:
                return
            if self._error is not None:
                self._rest()

    def _rest(self) -> None:
        """A database that fails is not to be hammered; but whoever waits is told at once."""
        until = time.monotonic() + _RETRY_AFTER
        while not self._closing and time.monotonic() < until:
            if self._wake.wait(_INTERVAL):
                return

    def _write_batch(self) -> bool:
        batch = [self._queue.popleft() for _ in range(min(_BATCH, len(self._queue)))]
        self._in_hand = len(batch)
        self._began = time.monotonic()
        self._write(batch)
        self._in_hand = 0
        self._began = None
        return self._error is None

    def _write(self, batch: list[_Entry]) -> None:
        try:
            self._store.add(
                [entry for entry, _ in batch if isinstance(entry, Event)],
                [entry for entry, _ in batch if isinstance(entry, Completion)],
            )
        except _UNFIT as error:
            self._sort_out(batch, error)
        except SQLAlchemyError as error:
            self._failed(batch, error)
        else:
            self._written += len(batch)
            self._error = None
            for _, waiting in batch:
                if waiting is not None:
                    waiting.settle(None)

    def _sort_out(self, batch: list[_Entry], error: Exception) -> None:
        """Loses the entry that no table takes, and writes the others: it would fail for ever."""
        if len(batch) > 1:
            half = len(batch) // 2
            self._write(batch[:half])
            self._write(batch[half:])
            return
        _log.error("an event cannot be kept: %s", type(getattr(error, "orig", None) or error).__name__)
        self._lost += 1
        if batch[0][1] is not None:
            batch[0][1].settle("a value of it fits no column")

    def _failed(self, batch: list[_Entry], error: SQLAlchemyError) -> None:
        said = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        if self._error is None:
            _log.error("events cannot be written: %s", said)
        self._error = said
        kept = [entry for entry in batch if entry[1] is None]
        for _, waiting in batch:
            if waiting is not None:
                waiting.settle(said)
        self._lost += len(batch) - len(kept)
        if self._closing:
            self._lost += len(kept)
        else:
            # Nothing of the batch was committed, so nothing is written twice.
            self._queue.extendleft(reversed(kept))
