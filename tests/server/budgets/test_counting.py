"""Exact counts: several processes at once, restarts, a store that is away."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import pytest
from builders import plan, rule
from policyc_server.budgets.counting import Budgets
from policyc_server.store.counters import CounterStore
from policyc_server.store.store import Store
from sqlalchemy import create_engine

from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call, Outcome
from policyc.runs.counting import Addition, Advance

EACH, THREADS = 25, 3
FAR = 2**60
STEP = {"match": "*", "min_count": 1, "egress": False}
PER_RUN = rule("deny", rate={"max": 3, "window_seconds": 2_592_000, "per": "run"})


def decide(budgets: Budgets, data: dict[str, object], call: Call) -> Outcome:
    evaluator = Evaluator(plan([data]))
    budgets.count(call, evaluator.counting(call), "t")
    return evaluator.decide(call)


def count_much(url: str) -> list[int]:
    """Every number that the threads of one process got."""
    store, found = Store(url), []

    def work() -> None:
        for _ in range(EACH):
            now = time.time_ns() // 1000
            advance = Advance("chain", (1,), None, FAR)
            (number,), _ = store.counters.count([Addition("calls", 7, 1, FAR)], [advance], now)
            found.append(number)

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    return found


def test_no_two_calls_of_two_processes_get_the_same_number(url: str) -> None:
    Store(url).close()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = [number for numbers in pool.map(count_much, [url, url]) for number in numbers]
    assert sorted(found) == list(range(1, 2 * THREADS * EACH + 1))


def test_every_parallel_step_of_a_sequence_is_taken(url: str) -> None:
    """A chain of as many steps as there are calls: one that is lost would leave it short."""
    stores = [Store(url), Store(url)]
    steps = tuple(range(1, 13))
    taken: list[int] = []

    def work(store: Store) -> None:
        for _ in range(6):
            _, (step,) = store.counters.count([], [Advance("s", steps, None, FAR)], time.time_ns() // 1000)
            taken.append(step)

    threads = [threading.Thread(target=work, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()
    assert sorted(taken) == list(steps)


def test_counts_survive_a_restart(url: str) -> None:
    for number, verdict in enumerate(["allow", "allow", "allow", "deny"], start=1):
        store = Store(url)
        call = Call("t", agent="a", run="r")
        assert decide(Budgets(store.counters), PER_RUN, call).verdict == verdict
        assert call.counted == {"r": number}
        store.close()


def test_denied_calls_count_too(store: Store) -> None:
    budgets = Budgets(store.counters)
    seen = []
    for _ in range(6):
        call = Call("t", run="r")
        decide(budgets, PER_RUN, call)
        seen.append(call.counted["r"])
    assert seen == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("data", [PER_RUN, rule("cap_cost", stages=["mcp"], cap_cost_cents=5)])
def test_a_call_without_a_run_is_answered_closed_where_runs_count(
    store: Store, data: dict[str, object]
) -> None:
    outcome = decide(Budgets(store.counters), data, Call("t", agent="a", cost_cents=1))
    assert (outcome.verdict, outcome.reason_code) == ("deny", "budget_unknown")


@pytest.mark.parametrize("name", ["run", "environment_id", "session"])
def test_a_run_is_named_by_the_first_that_is_there(store: Store, name: str) -> None:
    budgets = Budgets(store.counters)
    for verdict in ("allow", "allow", "allow", "deny"):
        assert decide(budgets, PER_RUN, Call("t", agent="a", **{name: "x"})).verdict == verdict
    assert decide(budgets, PER_RUN, Call("t", agent="b", **{name: "x"})).verdict == "allow"


@pytest.mark.parametrize(("per", "other"), [("agent", Call("t", agent="b")), ("tool", Call("u", agent="a"))])
def test_each_agent_and_each_tool_has_a_count_of_its_own(store: Store, per: str, other: Call) -> None:
    budgets = Budgets(store.counters)
    data = rule("deny", rate={"max": 1, "window_seconds": 2_592_000, "per": per})
    assert [decide(budgets, data, Call("t", agent="a")).verdict for _ in range(2)] == ["allow", "deny"]
    assert decide(budgets, data, other).verdict == "allow"


def test_what_a_run_spent_counts_also_where_the_call_is_denied(store: Store) -> None:
    budgets, data = Budgets(store.counters), rule("cap_cost", stages=["mcp"], cap_cost_cents=500)

    def call(cents: int) -> Outcome:
        return decide(budgets, data, Call("t", run="r", cost_cents=cents))

    assert [call(cents).verdict for cents in (400, 100, 1, 0)] == ["allow", "allow", "deny", "deny"]
    assert call(0).reason == 'rule "r" says cap_cost (the run has spent 501 cents, the cap is 500)'


def test_spend_is_known_to_a_cap_that_comes_later(store: Store) -> None:
    budgets = Budgets(store.counters)
    decide(budgets, rule("allow"), Call("t", run="r", cost_cents=900))
    capped = rule("cap_cost", stages=["mcp"], cap_cost_cents=500)
    assert decide(budgets, capped, Call("t", run="r")).verdict == "deny"


def test_a_sequence_is_recorded_until_it_is_enforced(store: Store) -> None:
    budgets = Budgets(store.counters)
    steps = [STEP | {"match": "crm.*"}, STEP | {"egress": True}]
    data = rule("deny", sequence={"window_seconds": 0, "steps": steps})
    there = {"destination": "example.com"}

    def verdicts(data: dict[str, object], run: str) -> list[str | None]:
        calls = [Call("net", there, "egress", run=run), Call("crm.x", run=run), Call("fs.x", run=run)]
        outcomes = [decide(budgets, data, call) for call in [*calls, calls[0]]]
        return [outcome.would_be or outcome.verdict for outcome in outcomes] + [outcomes[-1].verdict]

    assert verdicts(data, "r") == ["allow", "allow", "allow", "deny", "audit"]
    assert verdicts(data | {"enforce": True}, "s") == ["allow", "allow", "allow", "deny", "deny"]


def test_while_the_store_is_away_budgets_are_unknown(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = CounterStore(create_engine(f"sqlite:///{tmp_path}/nowhere/x.db"))
    budgets = Budgets(away)
    call = Call("t", run="r")
    outcome = decide(budgets, PER_RUN, call)
    assert (outcome.verdict, outcome.reason_code) == ("deny", "budget_unknown")
    assert "unable to open" in str(budgets.error)
    assert budgets.document() == {"failed": 1, "error": budgets.error}
    monkeypatch.setattr(away, "count", lambda *_, **__: ([0, 1], []))
    assert decide(budgets, PER_RUN, call).verdict == "allow"
    assert budgets.error is None


def test_what_has_expired_is_deleted_and_starts_anew(store: Store) -> None:
    count: Callable[..., object] = store.counters.count
    count([Addition("a", 1, 5, 100), Addition("b", 1, 5, 200)], [Advance("s", (1,), 100, 100)], 0)
    assert count([Addition("a", 1, 1, 300)], [Advance("s", (2,), 100, 300)], 150) == ([1], [0])
    assert store.counters.prune(250) == 1
    assert count([Addition("b", 1, 1, 400)], [], 250) == ([1], [])
    assert store.counters.prune(1_000) == 3
