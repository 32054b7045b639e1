"""Budgets of several servers on one store against a model in memory, whatever happens to them."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest
from builders import clause, plan, rule
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, run_state_machine_as_test
from hypothesis.stateful import rule as action
from policyc_server.budgets import counting
from policyc_server.budgets.counting import Budgets
from policyc_server.store.database import open_database
from policyc_server.store.schema import metadata
from policyc_server.store.store import Store

from policyc.engine.evaluate import Evaluator
from policyc.engine.model import Call

pytestmark = pytest.mark.slow


CAP, MOST, WINDOW = 50, 3, 60
SECOND = 1_000_000
STEPS = [
    {"match": "crm.*", "min_count": 2, "egress": False},
    {"match": "*.export", "min_count": 1, "egress": False},
]
CHAIN = ("crm.", "crm.", ".export")


def rules(shadow: bool) -> list[dict[str, Any]]:
    sequence = {"window_seconds": WINDOW, "steps": STEPS}
    rate = {"max": MOST, "window_seconds": WINDOW, "per": "agent"}
    return [
        rule("deny", label="secret", priority=1, clauses=[clause("$.secret", "eq", True)]),
        rule("cap_cost", label="cap", priority=2, stages=["mcp"], cap_cost_cents=CAP),
        rule("deny", label="leak", priority=3, sequence=sequence, enforce=True),
        rule("deny", label="rate", priority=4, tools=["http.*"], rate=rate, shadow=shadow),
    ]


class Model:
    """What the documentation says, as simple as it goes: every judged call counts, whatever the answer."""

    def __init__(self) -> None:
        self.spent: Counter[tuple[str, str]] = Counter()
        self.calls: Counter[tuple[str, int]] = Counter()
        self.history: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)

    def decide(self, call: Call, now: int, shadow: bool) -> tuple[str | None, str]:
        agent = str(call.agent)
        spent = limited = leaked = None
        if call.run is not None:
            run = (agent, call.run)
            self.spent[run] += call.cost_cents
            spent = self.spent[run]
            self.history[run].append((now, call.tool))
            leaked = call.tool.endswith(".export") and self._leaks(self.history[run], now)
        if call.tool.startswith("http."):
            window = (agent, now // (WINDOW * SECOND))
            self.calls[window] += 1
            limited = self.calls[window] > MOST
        return self._first(call, spent, leaked, limited, shadow)

    def _first(
        self, call: Call, spent: int | None, leaked: bool | None, limited: bool | None, shadow: bool
    ) -> tuple[str | None, str]:
        if call.args == {"secret": True}:
            return "secret", "deny"
        if spent is None or spent > CAP:
            return "cap", "deny"
        if leaked:
            return "leak", "deny"
        if limited:
            return "rate", "audit" if shadow else "deny"
        return None, "allow"

    def _leaks(self, history: list[tuple[int, str]], now: int) -> bool:
        """Whether two crm calls within the window come before this export, by looking at all of them."""
        before = [at for at, tool in history[:-1] if tool.startswith("crm.") and at > now - WINDOW * SECOND]
        return len(before) >= 2


class Workers(RuleBasedStateMachine):
    """Two servers; either may be restarted, and time goes on."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_700_000_000 * SECOND
        self.model = Model()
        self.evaluators = {shadow: Evaluator(plan(rules(shadow))) for shadow in (False, True)}
        engine = open_database(self.url)
        with engine.begin() as connection:
            for table in (metadata.tables["counters"], metadata.tables["sequences"]):
                connection.execute(table.delete())
        engine.dispose()
        self.stores = [Store(self.url), Store(self.url)]

    @action(
        worker=st.integers(0, 1),
        tool=st.sampled_from(["http.get", "http.put", "crm.read", "crm.export", "db.export", "fs.read"]),
        agent=st.sampled_from(["a", "b"]),
        run=st.sampled_from(["r1", "r1", "r2", None]),
        cents=st.sampled_from([0, 0, 0, 7, 30]),
        secret=st.sampled_from([False, False, False, True]),
        shadow=st.booleans(),
    )
    def call(
        self, worker: int, tool: str, agent: str, run: str | None, cents: int, secret: bool, shadow: bool
    ) -> None:
        call = Call(tool, {"secret": secret}, agent=agent, run=run, cost_cents=cents)
        evaluator = self.evaluators[shadow]
        Budgets(self.stores[worker].counters).count(call, evaluator.counting(call), "t")
        outcome = evaluator.decide(call)
        assert (outcome.rule, outcome.verdict) == self.model.decide(call, self.now, shadow)

    @action(worker=st.integers(0, 1))
    def restart(self, worker: int) -> None:
        self.stores[worker].close()
        self.stores[worker] = Store(self.url)

    @action(seconds=st.sampled_from([1, 10, 59, 60, 61]))
    def wait(self, seconds: int) -> None:
        self.now += seconds * SECOND

    @action(worker=st.integers(0, 1))
    def prune(self, worker: int) -> None:
        self.stores[worker].counters.prune(self.now)

    @invariant()
    def no_process_has_a_clock_of_its_own(self) -> None:
        counting.time.time_ns = lambda: self.now * 1000  # type: ignore[attr-defined]

    def teardown(self) -> None:
        for store in self.stores:
            store.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of the module's own, which the machine sets."""

    class Clock:
        time_ns = staticmethod(lambda: 0)

    monkeypatch.setattr(counting, "time", Clock)


@pytest.mark.usefixtures("clock")
def test_any_history_is_counted_as_documented(url: str) -> None:
    machine = type("OnThisStore", (Workers,), {"url": url})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
