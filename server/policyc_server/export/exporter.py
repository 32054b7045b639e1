"""Sends what the store commits to one target, in order, from where it was left."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
import uuid
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from policyc_server.events.documents import event_document
from policyc_server.export.target import ExportFailed, Target
from policyc_server.store.cursors import CursorStore
from policyc_server.store.events import EventStore, Filter

_log = logging.getLogger(__name__)

#: Seconds between looks for new events.
_LOOK = 0.5
#: Between takings of the cursor: a process that has it keeps it, another finds out whether it is free.
_TAKE = 5.0
_FIRST_RETRY = 1.0
_LONGEST_RETRY = 30.0
_BATCH = 500


class Exporter:
    """A thread that reads events by `seq` and moves a cursor in the store once the target took them.

    Each is sent at least once: again where the process ends, or the answer is lost, between the two. Of all
    processes on the store one does it; another goes on when that ends, or half a minute after a kill."""

    def __init__(self, target: Target, events: EventStore, cursors: CursorStore) -> None:
        self._target = target
        self._events = events
        self._cursors = cursors
        self._cursor = hashlib.sha256(target.name.encode()).hexdigest()
        self._holder = str(uuid.uuid4())
        self._sent = 0
        self._waiting = 0
        self._seq: int | None = None
        self._take_at = 0.0
        self._error: str | None = None
        self._tries = 0
        self._closing = threading.Event()
        # A daemon, since a target that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="export", daemon=True)
        self._thread.start()

    def status(self) -> dict[str, Any]:
        """How it stands here; `is_exporting` says whether this process is the one that does it."""
        return {
            "target": self._target.name,
            "is_exporting": self._seq is not None,
            "sent": self._sent,
            "waiting": self._waiting,
            "error": self._error,
        }

    def close(self, timeout: float) -> None:
        """Sends what is there, for at most `timeout` seconds; the rest is sent after the next start."""
        self._closing.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._closing.is_set()
            if self._go_on() and not is_last:
                continue
            is_last = is_last or (self._closing.wait(self._pause()) and self._error is not None)
        try:
            self._cursors.release(self._cursor, self._holder)
        except SQLAlchemyError as error:
            _log.warning("the export to %s is free in half a minute: %s", self._target.name, error)
        self._target.close()

    def _pause(self) -> float:
        return min(_LONGEST_RETRY, _FIRST_RETRY * 2.0 ** (self._tries - 1)) if self._tries else _LOOK

    def _go_on(self) -> bool:
        """One batch; whether there may be more at once."""
        try:
            self._take()
            return self._seq is not None and self._send_after(self._seq)
        except (ExportFailed, SQLAlchemyError) as error:
            self._failed(error)
        except Exception as error:
            _log.exception("the export to %s failed", self._target.name)
            self._failed(error)
        return False

    def _take(self) -> None:
        if time.monotonic() >= self._take_at:
            self._seq = self._cursors.take(self._cursor, self._holder)
            self._take_at = time.monotonic() + _TAKE

    def _send_after(self, seq: int) -> bool:
        rows = self._events.after(seq, Filter(), limit=_BATCH)
        if rows:
            last = rows[-1]["seq"]
            newest = self._events.last_seq()
            self._waiting = newest - seq
            self._target.send([event_document(row) for row in rows])
            self._sent += len(rows)
            self._waiting = newest - last
            is_ours = self._cursors.advance(self._cursor, self._holder, last)
            self._seq = last if is_ours else None
        self._error, self._tries = None, 0
        return len(rows) == _BATCH

    def _failed(self, error: Exception) -> None:
        said = str(getattr(error, "orig", None) or error).strip().splitlines()[0][:300]
        if self._error is None:
            _log.error("events cannot be sent to %s: %s", self._target.name, said)
        self._error = said
        self._tries += 1
