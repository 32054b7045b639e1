"""Rows of processes come, are renewed, and go when they are not."""

from __future__ import annotations

import pytest
from policyc_server.store import workers as module
from policyc_server.store.store import Store

HOUR = 3600 * 1_000_000


def test_rows_are_renewed_dropped_and_removed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    real = module.now_on
    store.workers.beat("a", {"host": "h", "n": 1})
    store.workers.beat("b", {"host": "h\0", "n": 2})
    store.workers.beat("a", {"host": "h", "n": 3})
    assert [row["n"] for row in store.workers.alive()] == [3, 2]
    store.workers.remove("a")
    assert [row["n"] for row in store.workers.alive()] == [2]
    monkeypatch.setattr(
        module, "now_on", lambda connection: real(connection) + module.STALE_AFTER + 1_000_000
    )
    assert store.workers.alive() == []
    store.workers.beat("c", {"host": "h", "n": 4})
    monkeypatch.setattr(module, "now_on", real)
    store.workers.beat("d", {"host": "h", "n": 5})
    assert [row["n"] for row in store.workers.alive()] == [5]


def test_a_clock_that_jumps_hides_processes_until_their_next_beat(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = module.now_on
    store.workers.beat("a", {"host": "h", "n": 1})
    for jump in (HOUR, -HOUR):
        monkeypatch.setattr(module, "now_on", lambda connection, jump=jump: real(connection) + jump)
        assert store.workers.alive() == []
        store.workers.beat("a", {"host": "h", "n": 1})
        assert len(store.workers.alive()) == 1
