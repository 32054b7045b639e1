"""The lines that another process writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Empty, Queue
from typing import IO


class Lines:
    """The lines of a pipe, read by a thread so that a process is never held up by a full pipe."""

    def __init__(self, pipe: IO[str] | None) -> None:
        assert pipe is not None
        self._queue: Queue[str | None] = Queue()
        threading.Thread(target=self._read, args=(pipe,), daemon=True).start()

    def _read(self, pipe: IO[str]) -> None:
        try:
            for line in pipe:
                self._queue.put(line)
        except ValueError:  # closed while it was read
            pass
        self._queue.put(None)

    def until_silent(self, within: float) -> Iterator[str]:
        """The next lines, until the pipe ends or none comes for ``within`` seconds."""
        while True:
            try:
                line = self._queue.get(timeout=within)
            except Empty:
                return
            if line is None:
                return
            yield line
