"""Evaluators that do not answer, on loopback."""

from __future__ import annotations

import socket
from types import TracebackType


class Endpoints:
    """``dead`` is a port that refuses connections, ``hanging`` one that takes them and never says a word,
    so that not even TLS begins."""

    def __init__(self) -> None:
        self._dead, self._hanging = socket.socket(), socket.socket()

    def __enter__(self) -> Endpoints:
        for one in (self._dead, self._hanging):
            one.bind(("127.0.0.1", 0))
        self._hanging.listen(128)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._dead.close()
        self._hanging.close()

    @property
    def dead(self) -> int:
        """Bound, so that nobody else takes it, and not listened to."""
        return int(self._dead.getsockname()[1])

    @property
    def hanging(self) -> int:
        return int(self._hanging.getsockname()[1])
