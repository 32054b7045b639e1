"""Counts a call for the budgets that it concerns, before it is decided."""

from __future__ import annotations

import logging
import time

from sqlalchemy.exc import SQLAlchemyError

from policyc.engine.budgets import Counted
from policyc.engine.model import Call
from policyc_server.budgets.scopes import of_rate, of_sequence, of_spend
from policyc_server.store.counters import Addition, Advance, CounterStore

_log = logging.getLogger(__name__)

_SECOND = 1_000_000
#: What a run has spent, and a sequence without a window, is forgotten so long after the run's last call.
KEPT_RUN = 30 * 24 * 3600 * _SECOND


class Budgets:
    """The budgets of every process on one store. `error` is why calls cannot be counted, if they cannot."""

    def __init__(self, store: CounterStore) -> None:
        self._store = store
        self.error: str | None = None

    def count(self, call: Call, counting: list[Counted], bundle: str) -> None:
        """Counts `call`, and puts on it what `counting` ask for. It blocks on the store.

        What cannot be counted stays unknown: the store is away, or the call does not name its run.
        """
        now = time.time_ns() // 1000
        spend = _spend(call, now)
        additions: list[tuple[str | None, Addition]] = [] if spend is None else [(None, spend)]
        advances: list[tuple[str | None, Advance]] = []
        for counted in counting:
            if counted.budget.kind == "rate":
                additions += _rate(counted, call, bundle, now)
            elif counted.budget.kind == "sequence":
                advances += _sequence(counted, call, bundle, now)
        try:
            counts, taken = self._store.count(
                [addition for _, addition in additions], [advance for _, advance in advances], now
            )
        except SQLAlchemyError as error:
            self._failed(str(getattr(error, "orig", None) or error))
            return
        self._failed(None)
        found = {
            label: number
            for (label, _), number in [
                *zip(additions, counts, strict=True),
                *zip(advances, taken, strict=True),
            ]
            if label is not None
        }
        if spend is not None:
            found |= {one.label: counts[0] for one in counting if one.budget.kind == "cap_cost"}
        for part in call.parts:
            part.counted = found

    def _failed(self, error: str | None) -> None:
        if error != self.error:
            self.error = error
            if error is not None:
                _log.error("calls cannot be counted, rules with a budget answer closed: %s", error)


def _spend(call: Call, now: int) -> Addition | None:
    scope = of_spend(call)
    return None if scope is None else Addition(scope, 0, call.cost_cents, now + KEPT_RUN)


def _rate(counted: Counted, call: Call, bundle: str, now: int) -> list[tuple[str | None, Addition]]:
    scope = of_rate(counted, call, bundle)
    length = counted.budget.window * _SECOND
    window = now // length
    return [] if scope is None else [(counted.label, Addition(scope, window, 1, (window + 1) * length))]


def _sequence(counted: Counted, call: Call, bundle: str, now: int) -> list[tuple[str | None, Advance]]:
    scope = of_sequence(counted, call, bundle)
    within = counted.budget.window * _SECOND
    if scope is None:
        return []
    return [(counted.label, Advance(scope, tuple(counted.steps), within or None, now + (within or KEPT_RUN)))]
