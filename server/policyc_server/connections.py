"""Bounds on connections that send no complete request; uvicorn itself waits for them without end."""

from __future__ import annotations

from typing import Any

_HEADER_SECONDS = 30.0
_HEADER_BYTES = 64 * 1024


class ConnectionSweep:
    """Closes connections whose request line and headers are late or large.

    It looks at all connections now and then instead of arming a timer for each request, which the hot path
    would pay for. A connection between requests is uvicorn's keep-alive's business.
    """

    def __init__(self) -> None:
        self._waiting: dict[Any, float] = {}

    def sweep(self, connections: set[Any], now: float) -> None:
        """One look; call it about once a second, at the least."""
        waiting = {}
        for connection in list(connections):
            if _is_waiting(connection):
                waiting[connection] = self._waiting.get(connection, now)
                if now - waiting[connection] > _HEADER_SECONDS or _header_size(connection) > _HEADER_BYTES:
                    connection.transport.close()
        self._waiting = waiting


def _is_waiting(connection: Any) -> bool:
    is_idle = connection.cycle is None or connection.cycle.response_complete
    return is_idle and connection.timeout_keep_alive_task is None


def _header_size(connection: Any) -> int:
    return sum(len(name) + len(value) for name, value in connection.headers or ())
