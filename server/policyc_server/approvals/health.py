"""How approvals stand on this server: what `/v1/status` and `/metrics` say about them."""

from __future__ import annotations

import logging
from itertools import count
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from policyc_server.approvals.approval import PENDING, STATES
from policyc_server.clock import microseconds
from policyc_server.periodic import Periodic
from policyc_server.store.approvals import ApprovalStore

_log = logging.getLogger(__name__)

_REFRESH = 1.0
#: Looks between two that also end what ran out of time.
_EXPIRE_EVERY = 15


class ApprovalHealth:
    """Counts approvals by state on a thread, and remembers what the store said to the last change.

    ``error`` is why a hold could not be kept or decided, which stands until one is again; or why approvals
    cannot be read.
    """

    def __init__(self, store: ApprovalStore) -> None:
        self._store = store
        self.counts: dict[str, int] = {}
        self._writing: str | None = None
        self._reading: str | None = None
        self._looks = count()
        self._looking = Periodic("approvals", _REFRESH, self._look)

    @property
    def error(self) -> str | None:
        return self._writing or self._reading

    def worked(self) -> None:
        self._writing = None

    def failed(self, error: SQLAlchemyError) -> None:
        self._writing = _cause(error)
        _log.error("an approval could not be kept: %s", self._writing)

    def document(self) -> dict[str, Any]:
        return {"pending": self.counts.get(PENDING, 0), "error": self.error}

    def by_state(self) -> dict[str, int]:
        return {state: self.counts.get(state, 0) for state in STATES}

    def close(self) -> None:
        self._looking.close()

    def _look(self) -> None:
        try:
            if next(self._looks) % _EXPIRE_EVERY == 0:
                self._store.expire(microseconds())
            self.counts = self._store.counts()
        except SQLAlchemyError as error:
            self._reading = _cause(error)
        else:
            self._reading = None


def _cause(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]
