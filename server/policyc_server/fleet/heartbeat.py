"""What every process on the store serves, told by each of them every two seconds."""

from __future__ import annotations

import logging
import os
import socket
import threading
import uuid
from collections.abc import Callable
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from policyc_server.store.workers import WorkerStore

_log = logging.getLogger(__name__)

_INTERVAL = 2.0


class Heartbeat:
    """Writes what `describe` (set before the start) says of this process, and reads what the others said.

    The thread starts with `start`; before that, and while the store is away, this process is all there is."""

    describe: Callable[[], dict[str, Any]]

    def __init__(self, store: WorkerStore) -> None:
        self.id = str(uuid.uuid4())
        self._store = store
        self._others: list[dict[str, Any]] = []
        self._closing = threading.Event()
        self._is_failing = False
        # A daemon, since a database that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def workers(self) -> list[dict[str, Any]]:
        """This process as it is now, then the others as they were at most four seconds ago."""
        return [self._own(), *self._others]

    def close(self, timeout: float) -> None:
        """Takes this process off the list."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _own(self) -> dict[str, Any]:
        return {"id": self.id, "host": socket.gethostname()[:200], "pid": os.getpid(), **self.describe()}

    def _run(self) -> None:
        is_last = False
        while not is_last:
            self._beat()
            is_last = self._closing.wait(_INTERVAL)
        try:
            self._store.remove(self.id)
        except SQLAlchemyError as error:
            _log.warning("this process stays on the list for a while: %s", _said(error))

    def _beat(self) -> None:
        try:
            self._store.beat(self.id, self._own())
            self._others = [document for document in self._store.alive() if document["id"] != self.id]
        except SQLAlchemyError as error:
            self._others = []
            if not self._is_failing:
                _log.warning("the list of workers cannot be kept: %s", _said(error))
            self._is_failing = True
        else:
            self._is_failing = False


def _said(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]
