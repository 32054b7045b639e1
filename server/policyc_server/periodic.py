"""Something that is done every so often, on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Periodic:
    """Does ``act``, which must not raise, now and every ``seconds`` after that, until it is closed."""

    def __init__(self, name: str, seconds: float, act: Callable[[], None]) -> None:
        self._seconds = seconds
        self._act = act
        self._closing = threading.Event()
        # A daemon, since a database that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close(self, timeout: float = 1.0) -> None:
        """Ends it; what is being done is waited for, at most ``timeout`` seconds."""
        self._closing.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        is_last = False
        while not is_last:
            self._act()
            is_last = self._closing.wait(self._seconds)
