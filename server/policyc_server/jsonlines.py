"""The decision log: one JSON object a line, appended to a file by a thread of its own."""

from __future__ import annotations

import os
import threading
from collections import deque
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from policyc_server.sink import DecisionEvent, SinkStatus

#: The writer looks at the queue this often, instead of being woken by each event: threads that take turns
#: for every event cost requests four times as much as the event itself.
_INTERVAL = 0.1
_BATCH = 500
_RETRY_AFTER = 1.0

_encode_lines = msgspec.json.Encoder().encode_lines


class JsonLinesSink:
    """Events go through a bounded queue, so a slow, full or hanging disk costs events, never a request.

    The file is created with mode 0600 and opened again after it was moved away, so it can be rotated.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._limit = limit
        self._queue: deque[DecisionEvent] = deque()
        self._refused = 0  # counted by the requests' thread
        self._lost = 0  # counted by the writer
        self._written = 0
        self._error: str | None = None
        self._file: int | None = None
        self._is_torn = False
        self._in_hand = 0
        self._closing = threading.Event()
        # A daemon, since a write that hangs in the kernel must not keep the process from ending.
        self._writer = threading.Thread(target=self._run, name="decision-log", daemon=True)
        self._writer.start()

    def record(self, event: DecisionEvent) -> None:
        if len(self._queue) >= self._limit or self._closing.is_set():
            self._refused += 1
        else:
            self._queue.append(event)

    def status(self) -> SinkStatus:
        waiting = len(self._queue) + self._in_hand
        return SinkStatus(self._written, self._refused + self._lost, waiting, self._error)

    def close(self, timeout: float) -> None:
        if self._closing.is_set():
            return
        self._closing.set()
        self._writer.join(timeout)
        if self._writer.is_alive():
            self._refused += len(self._queue) + self._in_hand

    def _run(self) -> None:
        is_last = False
        while not is_last:
            # Read before the queue is emptied: nothing comes after it.
            is_last = self._closing.wait(_INTERVAL)
            while self._queue:
                self._write_batch()
                if self._error is not None and not is_last:
                    # A full disk is not to be hammered; what waits is bounded.
                    is_last = self._closing.wait(_RETRY_AFTER)
        if self._file is not None:
            os.close(self._file)

    def _write_batch(self) -> None:
        batch = [self._queue.popleft() for _ in range(min(_BATCH, len(self._queue)))]
        self._in_hand = len(batch)
        was_torn = self._is_torn
        try:
            self._append(_encode_lines(batch))
        except OSError as error:
            self._error = f"{error.strerror or error} ({datetime.now(UTC).isoformat(timespec='seconds')})"
            if self._closing.is_set() or self._is_torn is not was_torn:
                self._lost += len(batch)
            else:
                # Nothing of it was written, so nothing is written twice.
                self._queue.extendleft(reversed(batch))
        else:
            self._written += len(batch)
            self._error = None
        self._in_hand = 0

    def _append(self, lines: bytes) -> None:
        file = self._open()
        # A write that was cut short left half a line: the next starts on a new one.
        left = memoryview(b"\n" + lines if self._is_torn else lines)
        while left:
            left = left[os.write(file, left) :]
            self._is_torn = bool(left)

    def _open(self) -> int:
        if self._file is not None and self._was_moved(self._file):
            os.close(self._file)
            self._file = None
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        return self._file

    def _was_moved(self, file: int) -> bool:
        try:
            return not os.path.samestat(os.fstat(file), self._path.stat())
        except FileNotFoundError:
            return True
