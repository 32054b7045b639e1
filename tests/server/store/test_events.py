"""Events on real databases: pages, filters, counts, outcomes, retention."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
import sqlalchemy
from policyc_server.events.event import Completion, Event
from policyc_server.events.query import read_filter
from policyc_server.events.writer import EventWriter
from policyc_server.store.database import open_database
from policyc_server.store.events import EventStore, Filter
from policyc_server.store.store import Store
from starlette.datastructures import QueryParams

START = 1_700_000_000_000_000
MINUTE = 60_000_000


def event(number: int, **changes: Any) -> Event:
    made = Event(
        id=f"id-{number}",
        at=START + number,
        surface="enforce",
        stage="mcp",
        agent="crm",
        key=None,
        run="run-1",
        session=None,
        environment_id=None,
        tool="crm.read",
        verdict="allow",
        would_be=None,
        rule="reads",
        policy="crm",
        revision="r1",
        version=1,
        reason="it may",
        reason_code="rule_match",
        risk_factors=("pii",),
        latency_us=10,
        fingerprint="f" * 64,
        args='{"id": 1}',
        call_id=None,
    )
    return msgspec.structs.replace(made, **changes)


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def test_pages_go_back_from_the_newest(store: Store) -> None:
    store.events.add([event(number) for number in range(7)])
    first = store.events.page(Filter(), limit=3)
    assert ids(first) == ["id-6", "id-5", "id-4"]
    second = store.events.page(Filter(), limit=3, before=first[-1]["seq"])
    assert ids(second) == ["id-3", "id-2", "id-1"]
    assert first[0]["risk_factors"] == ["pii"]
    assert ids(store.events.after(second[0]["seq"], Filter(), limit=9)) == ["id-4", "id-5", "id-6"]
    assert store.events.last_seq() == first[0]["seq"]


@dataclass(frozen=True)
class Case:
    found: Filter
    changes: dict[str, Any]


@pytest.mark.parametrize(
    "case",
    [
        Case(Filter(verdicts=("deny",)), {"verdict": "deny"}),
        Case(Filter(verdicts=("deny",)), {"verdict": "audit", "would_be": "deny"}),
        Case(Filter(surface="evaluate"), {"surface": "evaluate"}),
        Case(Filter(tool="pay.*"), {"tool": "pay.send"}),
        Case(Filter(tool="a_c%"), {"tool": "a_c%"}),
        Case(Filter(agent="other"), {"agent": "other"}),
        Case(Filter(run="run-2"), {"run": "run-2"}),
        Case(Filter(run="env-1"), {"run": None, "environment_id": "env-1"}),
        Case(Filter(rule="writes"), {"rule": "writes"}),
        Case(Filter(revision="r2"), {"revision": "r2"}),
        Case(Filter(since=START + MINUTE), {"at": START + MINUTE}),
        Case(Filter(until=START), {"at": START - 1}),
        Case(Filter(text="100%"), {"reason": "over 100% of it"}),
    ],
)
def test_filters_find_the_one(store: Store, case: Case) -> None:
    other = event(1, tool="Pay.send") if case.found.tool else event(1)
    store.events.add([other, event(2, tool="abcd"), event(3, **case.changes)])
    assert ids(store.events.page(case.found, limit=9)) == ["id-3"]


def test_an_event_counts_once(store: Store) -> None:
    store.events.add([event(1)])
    store.events.add([event(1), event(2, verdict="deny", at=START + MINUTE)])
    assert len(store.events.page(Filter(), limit=9)) == 2
    run = store.events.run("run-1")
    assert run is not None
    assert (run["allow"], run["deny"], run["first_at"], run["last_at"]) == (1, 1, START + 1, START + MINUTE)
    assert [(row["verdict"], row["count"]) for row in store.events.hits()] == [("allow", 1), ("deny", 1)]
    assert sorted((row["verdict"], row["count"]) for row in store.events.minutes(START)) == [
        ("allow", 1),
        ("deny", 1),
    ]


def test_counts_add_up_over_processes(store: Store) -> None:
    def add(first: int) -> None:
        for number in range(first, first + 20):
            store.events.add([event(number, run=f"run-{number % 3}", tool=f"t{number % 5}")])

    threads = [threading.Thread(target=add, args=(start,)) for start in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(run["allow"] for run in store.events.runs(limit=9)) == 60
    assert sum(row["count"] for row in store.events.hits()) == 60


def test_shadow_counts_what_would_have_been(store: Store) -> None:
    store.events.add([event(1), event(2, verdict="audit", would_be="deny", agent=None)])
    (row,) = store.events.hits(shadow_only=True)
    assert (row["would_be"], row["agent"], row["tool"], row["count"]) == ("deny", "", "crm.read", 1)


@pytest.mark.parametrize("call_id", ["toolu_1", None])
def test_an_outcome_ends_the_latest_such_call(store: Store, call_id: str | None) -> None:
    store.events.add([event(1, call_id=call_id), event(2, call_id=call_id), event(3, tool="other")])
    done = Completion(START + 9, "crm.read", None, None, call_id, None, "f" * 64, "it broke")
    store.events.add([], [msgspec.structs.replace(done, key="another's")])
    store.events.add([], [done])
    rows = store.events.page(Filter(), limit=9)
    assert [row["outcome"] for row in rows] == [None, "error", None]
    assert rows[1]["error"] == "it broke"
    store.events.add([], [msgspec.structs.replace(done, error=None)])
    assert [row["outcome"] for row in store.events.page(Filter(), limit=9)] == [None, "error", "success"]


@pytest.mark.parametrize(
    "how", [{"older_than": START + MINUTE, "keep": None}, {"older_than": None, "keep": 1}]
)
def test_counts_go_with_the_events_of_their_time(store: Store, how: dict[str, int | None]) -> None:
    store.events.add([event(1), event(2, at=START + 2 * MINUTE, run="run-2", tool="crm.new")])
    store.events.prune(**how)
    assert [run["run"] for run in store.events.runs(limit=9)] == ["run-2"]
    assert [row["tool"] for row in store.events.hits()] == ["crm.new"]
    assert len(store.events.minutes(0)) == 1


@pytest.mark.parametrize("call_id", ["toolu_1", None])
def test_outcomes_of_one_batch_are_attached_in_order(store: Store, call_id: str | None) -> None:
    store.events.add([event(number, call_id=call_id) for number in (1, 2)])
    broke = Completion(START + 9, "crm.read", None, None, call_id, None, "f" * 64, "it broke")
    worked = msgspec.structs.replace(broke, error=None)
    store.events.add([event(3, call_id="other", fingerprint="0" * 64)], [broke, worked])
    assert [row["outcome"] for row in store.events.page(Filter(), limit=9)] == [None, "error", "success"]


def test_a_batch_is_a_few_statements_whatever_is_in_it(url: str) -> None:
    engine = open_database(url)
    store = EventStore(engine)
    row_by_row: list[bool] = []
    sqlalchemy.event.listen(engine, "before_cursor_execute", lambda *given: row_by_row.append(given[5]))
    store.add([event(number, run=f"run-{number}", tool=f"t{number}") for number in range(2_000)])
    assert len(row_by_row) < 9
    # PostgreSQL's driver sends each row of such a statement by itself.
    assert engine.dialect.name == "sqlite" or not any(row_by_row)
    assert ids(store.page(Filter(), limit=2_000)) == [f"id-{number}" for number in reversed(range(2_000))]
    engine.dispose()


def test_old_events_go(store: Store) -> None:
    store.events.add([event(number, at=START + number * MINUTE) for number in range(10)])
    assert store.events.prune(older_than=START + 2 * MINUTE, keep=None) == 2
    assert store.events.prune(older_than=None, keep=3) == 5
    assert ids(store.events.page(Filter(), limit=9)) == ["id-9", "id-8", "id-7"]
    assert store.events.prune(older_than=None, keep=None) == 0


def test_any_text_is_kept(store: Store) -> None:
    strange = "\0 \u202e \U0001f600 '; DROP TABLE events; --"
    store.events.add([event(1, tool=strange, agent=strange, run=strange, reason=strange)])
    (row,) = store.events.page(Filter(text="DROP TABLE"), limit=9)
    assert row["tool"] == strange.replace("\0", "\ufffd")


def test_names_longer_than_their_columns_are_counted_as_cut(store: Store) -> None:
    long = "x" * 700
    store.events.add([event(1, rule=f"{long}1", policy=long), event(2, rule=f"{long}2", policy=long)])
    assert [(row["rule"], row["count"]) for row in store.events.hits()] == [(long[:500], 2)]
    assert store.events.page(Filter(rule=f"{long}1"), limit=9)[0]["id"] == "id-1"


def test_a_nul_finds_what_was_kept_for_it(store: Store) -> None:
    store.events.add([event(1, run="a\0b")])
    assert store.events.run("a\0b") is not None
    assert store.events.get("\0") is None
    found = read_filter(QueryParams([("run", "a\0b"), ("text", "\0")]))
    assert store.events.page(found, limit=9) == []
    assert ids(store.events.page(Filter(run=found.run), limit=9)) == ["id-1"]


def test_an_event_that_fits_nowhere_is_lost_alone(store: Store) -> None:
    writer = EventWriter(store.events, 100)
    for number in range(9):
        writer.record(event(number, version=2**63 if number == 4 else 1))
    writer.close(10)
    assert (writer.status().written, writer.status().lost, writer.status().error) == (8, 1, None)
    assert "id-4" not in ids(store.events.page(Filter(), limit=20))
