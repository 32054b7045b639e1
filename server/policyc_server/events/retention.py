"""Old events go, by age and by count, and so do budgets whose time is over: on a thread of its own."""

from __future__ import annotations

import logging
import threading
import time

from sqlalchemy.exc import SQLAlchemyError

from policyc_server.store.store import Store

_log = logging.getLogger(__name__)

_INTERVAL = 60.0
_DAY = 24 * 3600 * 1_000_000


class Retention:
    """Prunes at the start and every minute. ``days`` is an age, ``keep`` a count of events; None: all."""

    def __init__(self, store: Store, *, days: float | None, keep: int | None) -> None:
        self._store = store
        self._days = days
        self._keep = keep
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="retention", daemon=True)
        self._thread.start()

    def close(self, timeout: float) -> None:
        self._closing.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        is_last = False
        while not is_last:
            self._prune()
            is_last = self._closing.wait(_INTERVAL)

    def _prune(self) -> None:
        now = time.time_ns() // 1000
        try:
            self._store.counters.prune(now)
            if self._days is not None or self._keep is not None:
                older_than = None if self._days is None else now - int(self._days * _DAY)
                self._store.events.prune(older_than=older_than, keep=self._keep)
        except SQLAlchemyError as error:
            _log.warning("what is old could not be deleted: %s", getattr(error, "orig", error))
