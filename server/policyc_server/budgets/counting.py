"""Counts a call for the budgets that it concerns, before it is decided."""

from __future__ import annotations

import logging
import time

from sqlalchemy.exc import SQLAlchemyError

from policyc.engine.budgets import Counted
from policyc.engine.model import Call
from policyc.runs.counting import Tally
from policyc_server.store.counters import CounterStore

_log = logging.getLogger(__name__)


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
        tally = Tally(call, counting, bundle, now)
        try:
            counts, taken = self._store.count(tally.additions, tally.advances, now)
        except SQLAlchemyError as error:
            self._failed(str(getattr(error, "orig", None) or error))
            return
        self._failed(None)
        tally.tell(counts, taken)

    def _failed(self, error: str | None) -> None:
        if error != self.error:
            self.error = error
            if error is not None:
                _log.error("calls cannot be counted, rules with a budget answer closed: %s", error)
