"""Connections that never become a request are closed; `test_run` has the same on a real one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from policyc_server.connections import ConnectionSweep


class Transport:
    is_closed = False

    def close(self) -> None:
        self.is_closed = True


def connection(**changes: Any) -> Any:
    """What uvicorn's protocol looks like before its first request is complete."""
    state = {"cycle": None, "timeout_keep_alive_task": None, "headers": None, "transport": Transport()}
    return type("Connection", (SimpleNamespace,), {"__hash__": object.__hash__})(**{**state, **changes})


def closed_after(item: Any, *times: float) -> bool:
    sweep = ConnectionSweep()
    for now in times:
        sweep.sweep({item}, now)
    return bool(item.transport.is_closed)


def test_late_headers() -> None:
    assert not closed_after(connection(), 0, 29)
    assert closed_after(connection(), 0, 29, 31)


def test_large_headers() -> None:
    assert closed_after(connection(headers=[(b"x", b"y" * 70_000)]), 0)


def test_requests_and_idle_connections_are_left_alone() -> None:
    busy = connection(cycle=SimpleNamespace(response_complete=False))
    idle = connection(cycle=SimpleNamespace(response_complete=True), timeout_keep_alive_task=object())
    assert not closed_after(busy, 0, 1000)
    assert not closed_after(idle, 0, 1000)


def test_time_counts_from_the_last_request() -> None:
    item = connection()
    sweep = ConnectionSweep()
    sweep.sweep({item}, 0)
    item.cycle = SimpleNamespace(response_complete=False)
    sweep.sweep({item}, 20)
    item.cycle = SimpleNamespace(response_complete=True)
    sweep.sweep({item}, 40)
    assert not item.transport.is_closed
