"""Old events go, whoever deletes them and whatever the clock says; their numbers never come again."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from policyc_server.clock import microseconds
from policyc_server.events.retention import Calendar, Retention
from policyc_server.store import events as module
from policyc_server.store.counters import Addition
from policyc_server.store.events import Filter
from policyc_server.store.store import Store

from server.process import eventually
from server.store.conftest import postgres, postgres_url, store, url
from server.store.test_approvals import HOLD
from server.store.test_events import START, event

__all__ = ["postgres", "postgres_url", "store", "url"]

DAY = 24 * 3600 * 1_000_000
MINUTE = 60_000_000


def left(store: Store) -> list[str]:
    return [row["id"] for row in store.events.page(Filter(), limit=1000)]


def test_several_processes_prune_while_events_are_written(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DELETED_AT_ONCE", 7)
    store.events.add([event(number, run=f"run-{number % 9}") for number in range(300)])
    others = [Store(url) for _ in range(3)]
    failures: list[BaseException] = []

    def attempt(work: Any) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    def write() -> None:
        for number in range(300, 360):
            store.events.add([event(number, run=f"run-{number % 9}")])

    def prune(other: Store) -> None:
        for _ in range(5):
            other.events.prune(older_than=START + 250, keep=100)

    works = [write, *((lambda other=other: prune(other)) for other in others)]
    threads = [threading.Thread(target=attempt, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.events.prune(older_than=None, keep=100)
    for other in others:
        other.close()
    assert failures == []
    assert left(store) == [f"id-{number}" for number in range(359, 259, -1)]


def test_numbers_never_come_again(store: Store) -> None:
    """A stream or an export that goes on after the last number would miss what gets it a second time."""
    store.events.add([event(number) for number in range(5)])
    last = store.events.last_seq()
    store.events.prune(older_than=START + DAY, keep=None)
    assert left(store) == []
    store.events.add([event(9)])
    assert [row["id"] for row in store.events.after(last, Filter(), limit=9)] == ["id-9"]


def test_events_of_a_clock_that_jumped_keep_their_place(store: Store) -> None:
    store.events.add([event(0), event(1, at=START + 9000 * DAY), event(2, at=0), event(3)])
    assert left(store) == ["id-3", "id-2", "id-1", "id-0"]
    store.events.prune(older_than=START - DAY, keep=None)
    assert left(store) == ["id-3", "id-1", "id-0"]
    store.events.prune(older_than=None, keep=2)
    assert left(store) == ["id-3", "id-1"]


class Clocks:
    def __init__(self) -> None:
        self.wall, self.elapsed = START, 500
        self.calendar = Calendar(lambda: self.wall, lambda: self.elapsed)

    def passes(self, time: int, jump: int = 0) -> int | None:
        self.elapsed += time
        self.wall += time + jump
        return self.calendar.now()


def test_a_clock_that_jumps_ahead_is_not_believed_for_a_day() -> None:
    clocks = Clocks()
    assert clocks.passes(MINUTE) == clocks.wall
    assert clocks.passes(MINUTE, jump=MINUTE) == clocks.wall  # set right
    assert clocks.passes(MINUTE, jump=400 * DAY) is None
    assert clocks.passes(DAY - MINUTE) is None
    assert clocks.passes(MINUTE, jump=-400 * DAY) == clocks.wall
    assert clocks.passes(MINUTE, jump=2 * DAY) is None
    assert clocks.passes(DAY + MINUTE) == clocks.wall  # it was the one before that was wrong


def test_a_clock_that_jumps_back_keeps_events_longer() -> None:
    clocks = Clocks()
    assert clocks.passes(MINUTE, jump=-30 * DAY) == clocks.wall
    # And is not believed when it comes forward again.
    assert clocks.passes(MINUTE, jump=30 * DAY) is None


def test_a_server_deletes_what_is_over(store: Store) -> None:
    """The thread itself, on all that goes by age."""
    long_ago = microseconds() - 2 * DAY
    store.events.add([event(1, at=long_ago), event(2, at=microseconds())])
    approval = store.approvals.open(HOLD, long_ago, cap=9).id
    store.approvals.expire(microseconds())
    store.sessions.add("d" * 64, "rita", long_ago, long_ago + MINUTE)
    store.counters.count([Addition("s", 1, 1, long_ago + MINUTE)], [], long_ago)
    retention = Retention(store, days=1, keep=None)
    eventually(lambda: left(store) == ["id-2"])
    retention.close(9)
    assert store.approvals.get(approval, long_ago) is None
    assert store.sessions.key("d" * 64, long_ago) is None
    assert store.counters.count([Addition("s", 1, 1, long_ago + MINUTE)], [], long_ago) == ([1], [])
