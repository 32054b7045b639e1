"""Old events go, by age and by count, and approvals by age; budgets and sessions when their time is over.
On a thread of its own; several processes on one store may do it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError

from policyc_server.periodic import Periodic
from policyc_server.store.store import Store

_log = logging.getLogger(__name__)

_INTERVAL = 60.0
_MICROSECONDS = 1_000_000
_DAY = 24 * 3600 * _MICROSECONDS
#: Microseconds by which a clock may be set without a doubt about it, and for which one that jumped further is
#: not believed.
_SET_BY = 600 * _MICROSECONDS
_DOUBTED_FOR = _DAY


def _wall() -> int:
    return time.time_ns() // 1000


def _elapsed() -> int:
    # With the time that the machine slept, which is no jump.
    return time.clock_gettime_ns(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)) // 1000


class Calendar:
    """The wall clock, as far as it agrees with the time that passed: a clock that is set years ahead must
    not make everything old. Microseconds."""

    def __init__(self, wall: Callable[[], int] = _wall, elapsed: Callable[[], int] = _elapsed) -> None:
        self._wall = wall
        self._elapsed = elapsed
        self._offset = wall() - elapsed()
        self._doubted_since: int | None = None

    def now(self) -> int | None:
        """None while the clock is not believed: it jumped ahead less than a day ago, and not back."""
        wall, elapsed = self._wall(), self._elapsed()
        if wall - elapsed <= self._offset + _SET_BY:
            self._offset, self._doubted_since = wall - elapsed, None
            return wall
        if self._doubted_since is None:
            self._doubted_since = elapsed
            ahead = (wall - elapsed - self._offset) // _MICROSECONDS
            _log.warning("the clock jumped %d s ahead: nothing is deleted by age for a day", ahead)
        if elapsed - self._doubted_since < _DOUBTED_FOR:
            return None
        self._offset, self._doubted_since = wall - elapsed, None
        return wall


class Retention:
    """Prunes at the start and every minute. ``days`` is an age, ``keep`` a count of events; None: all."""

    def __init__(self, store: Store, *, days: float | None, keep: int | None) -> None:
        self._store = store
        self._days = days
        self._keep = keep
        self._calendar = Calendar()
        self._pruning = Periodic("retention", _INTERVAL, self._prune)

    def close(self, timeout: float) -> None:
        self._pruning.close(timeout)

    def _prune(self) -> None:
        now = self._calendar.now()
        older_than = None if self._days is None or now is None else now - int(self._days * _DAY)
        try:
            if now is not None:
                self._store.counters.prune(now)
                self._store.sessions.prune(now)
            if older_than is not None:
                self._store.approvals.prune(older_than)
            if older_than is not None or self._keep is not None:
                self._store.events.prune(older_than=older_than, keep=self._keep)
        except SQLAlchemyError as error:
            _log.warning("what is old could not be deleted: %s", getattr(error, "orig", error))
