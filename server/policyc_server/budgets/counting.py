"""Counts a call for the budgets that it concerns, before it is decided."""

from __future__ import annotations

import logging
import time

from sqlalchemy.exc import SQLAlchemyError

from policyc.engine.budgets import Counted
from policyc.engine.model import Call
from policyc.runs.counting import KEPT_RUN, Addition, Tally
from policyc.runs.scopes import of_fraction, of_spend
from policyc_server.store.counters import CounterStore
from policyc_server.store.patience import StoreSlow, patiently

_log = logging.getLogger(__name__)

#: Measured spend is kept in millionths of a cent, since one answer may cost less than a cent.
CENT = 1_000_000


class Budgets:
    """The budgets of every process on one store. `error` is why calls cannot be counted, if they cannot;
    `failed` how many were not."""

    def __init__(self, store: CounterStore) -> None:
        self._store = store
        self.error: str | None = None
        self.failed = 0

    async def count_in_time(self, call: Call, counting: list[Counted], bundle: str) -> None:
        """`count` on a thread; what is not counted in time stays unknown."""
        try:
            await patiently(self.count, call, counting, bundle)
        except StoreSlow as error:
            self.failed += 1
            self._turned(str(error))

    def count(self, call: Call, counting: list[Counted], bundle: str, *, is_trial: bool = False) -> None:
        """Counts `call`, and puts on it what `counting` ask for. It blocks on the store.

        What cannot be counted stays unknown: the store is away, or the call does not name its run. A trial
        shows what the call would count, and leaves no trace.
        """
        now = time.time_ns() // 1000
        tally = Tally(call, counting, bundle, now)
        try:
            counts, taken = self._store.count(tally.additions, tally.advances, now, is_trial=is_trial)
        except SQLAlchemyError as error:
            self.failed += not is_trial
            self._turned(str(getattr(error, "orig", None) or error).strip().splitlines()[0])
            return
        self._turned(None)
        tally.tell(counts, taken)

    def spend(self, call: Call, millionths: int) -> None:
        """Adds what the run of `call` has spent, in millionths of a cent; its cents are those begun. It
        blocks on the store. A call that names no run has nobody to charge."""
        now = time.time_ns() // 1000
        fraction, cents = of_fraction(call), of_spend(call)
        if fraction is None or cents is None or millionths <= 0:
            return
        try:
            (total,), _ = self._store.count([Addition(fraction, 0, millionths, now + KEPT_RUN)], [], now)
            begun = _cents(total) - _cents(total - millionths)
            self._store.count([Addition(cents, 0, begun, now + KEPT_RUN)], [], now)
        except SQLAlchemyError as error:
            self.failed += 1
            self._turned(str(getattr(error, "orig", None) or error).strip().splitlines()[0])
            return
        self._turned(None)

    def document(self) -> dict[str, object]:
        return {"failed": self.failed, "error": self.error}

    def _turned(self, error: str | None) -> None:
        if error != self.error:
            self.error = error
            if error is not None:
                _log.error("calls cannot be counted, rules with a budget answer closed: %s", error)


def _cents(millionths: int) -> int:
    return -(-millionths // CENT)
