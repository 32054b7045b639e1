"""Costs in millionths of a cent, and the cents that a run has begun to spend."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from policyc_server.budgets.counting import CENT, Budgets
from policyc_server.gateway.metering import cost, estimated
from policyc_server.gateway.vendors.vendor import Usage
from policyc_server.settings_file.prices import Price
from policyc_server.store.store import Store

from policyc.engine.budgets import Counted
from policyc.engine.model import Budget, Call

CAP = [Counted("p", "cap", Budget("cap_cost", 0), [])]


def spent(budgets: Budgets, call: Call) -> int:
    budgets.count(call, CAP, "b")
    return call.counted["cap"]


def test_a_million_tokens_cost_their_price() -> None:
    price = Price("*", input=125, output=1000, cached_input=12.5, cache_write=150)
    million = 1_000_000
    assert cost(Usage(input=million), price) == 125 * CENT
    assert cost(Usage(million, million, million, million), price) == 1287.5 * CENT
    assert cost(Usage(cached_input=1), price) == 13  # no token is cheaper than it is


def test_an_answer_that_was_cut_off_costs_by_its_bytes() -> None:
    assert estimated(3001, 2) == Usage(input=1001, output=1)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 3 * CENT), max_size=12))
def test_the_cents_of_a_run_are_those_begun(amounts: list[int]) -> None:
    store = Store("sqlite://")
    budgets, call = Budgets(store.counters), Call("model", run="r", agent="a")
    for amount in amounts:
        budgets.spend(call, amount)
    assert spent(budgets, call) == math.ceil(sum(amounts) / CENT)
    assert spent(budgets, Call("model", run="other", agent="a")) == 0
    store.close()


def test_without_a_run_nobody_is_charged() -> None:
    store = Store("sqlite://")
    Budgets(store.counters).spend(Call("model", agent="a"), CENT)
    store.close()
