"""Counts a call for the budgets that it concerns, before it is decided."""

from __future__ import annotations

import logging
import time

from sqlalchemy.exc import SQLAlchemyError

from policyc.engine.budgets import Counted
from policyc.engine.model import Call
from policyc.runs.counting import Tally
from policyc_server.store.counters import CounterStore
from policyc_server.store.patience import StoreSlow, patiently

_log = logging.getLogger(__name__)


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

    def document(self) -> dict[str, object]:
        return {"failed": self.failed, "error": self.error}

    def _turned(self, error: str | None) -> None:
        if error != self.error:
            self.error = error
            if error is not None:
                _log.error("calls cannot be counted, rules with a budget answer closed: %s", error)
