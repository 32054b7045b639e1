"""The hot reload: a thread that loads what is on disk, checks it whole, and then swaps one reference."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import Any

from policyc_server import collector
from policyc_server.activation import Activation
from policyc_server.disk import Fingerprint, fingerprint, watched_folders
from policyc_server.loader import PolicyLoader, Refused
from policyc_server.looks import Looks
from policyc_server.settings import Settings
from policyc_server.watch import FolderWatch

_log = logging.getLogger(__name__)

#: Loads of a path that changes under them, before one is taken as it is.
_MOST_RESTLESS = 5
_LONGEST_SETTLING = 10  # times the settle time, for a burst that does not end
_LONGEST_RETRY = 60.0
_AFTER_FAULT = 1.0


class Reloader:
    """Keeps `serving` equal to what is on disk: loads never overlap, a change during one leads to another.

    What cannot be served leaves the last good snapshot in place and the reason in `serving.failure`; it is
    tried again when it changes, and now and then in case the fault was elsewhere.
    """

    def __init__(self, path: Path, settings: Settings, loader: PolicyLoader, activation: Activation) -> None:
        self._path = path
        self._settle = settings.settle
        self._poll = settings.poll_interval
        self._serving = activation.serving
        self._activation = activation
        self._loader = loader
        self._agreed: Fingerprint | None = None
        self._failed: Fingerprint | None = None
        self._tries = 0
        self._retry_at = 0.0
        self._restless = 0
        self._wake = threading.Event()
        self.looks = Looks(self._wake.set)
        self._is_stopping = False
        # A daemon, since a disk that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="policy-reload", daemon=True)
        self._watch = FolderWatch(self._wake.set)

    @property
    def is_awaited(self) -> bool:
        """Never: what is not on disk at the start is a mistake."""
        return False

    @property
    def events_error(self) -> str | None:
        """Why no file events arrive."""
        return self._watch.error

    def download(self) -> dict[str, Any] | None:
        """Nothing is downloaded."""
        return None

    def load_first(self) -> None:
        """The first load, on the calling thread."""
        self._look()
        while self._restless and self._serving.snapshot is None:
            time.sleep(self._settle)
            self._look()

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout: float) -> None:
        self._is_stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout)
        self._watch.stop()

    def _run(self) -> None:
        while not self._is_stopping:
            try:
                # Watch first, then look: a change after the look wakes the next round.
                is_watching = self._follow()
                self.looks.begin()
                if self.looks.is_asked:
                    self._retry_at = 0.0
                self._look()
                if not self._restless:
                    self.looks.end()
                wait = self._settle if self._restless or not is_watching else self._poll
            except Exception:
                _log.exception("the look at %s failed", self._path)
                wait = min(_AFTER_FAULT, self._poll)
            if self._wake.wait(wait):
                self._wait_for_quiet()

    def _follow(self) -> bool:
        folders = watched_folders(self._path)
        # A folder that came before its parent was watched is missed by both, unless one looks again.
        return self._watch.follow(folders) and watched_folders(self._path) == folders

    def _wait_for_quiet(self) -> None:
        for _ in range(_LONGEST_SETTLING):
            self._wake.clear()
            if self._is_stopping or not self._wake.wait(self._settle):
                return

    def _look(self) -> None:
        """Brings `serving` up to date, once; leaves `_restless` above 0 where another look is due soon."""
        seen = fingerprint(self._path)
        looked_at = time.monotonic()
        if seen == self._agreed:
            self._restless = 0
            self._serving.confirm(looked_at)
        elif seen == self._failed and looked_at < self._retry_at:
            self._restless = 0
        else:
            with collector.without_collections():
                self._load(seen, looked_at)

    def _load(self, seen: Fingerprint, looked_at: float) -> None:
        refused = loaded = None
        try:
            loaded = self._loader.load(self._path)
        except Refused as error:
            refused = error
        if fingerprint(self._path) != seen and self._restless < _MOST_RESTLESS:
            # Half written, or a folder of which we may have read some old and some new files.
            self._restless += 1
            return
        self._restless = 0 if seen.is_settled else 1
        try:
            if loaded is not None:
                self._activation.serve(loaded)
        except Refused as error:
            refused = error
        if refused is not None:
            self._keep_last_good(refused, seen)
            return
        self._activation.confirmed(looked_at)
        self._failed = None
        self._agreed = seen if seen.is_settled else None

    def _keep_last_good(self, refused: Refused, seen: Fingerprint) -> None:
        self._activation.failed(refused)
        self._tries = self._tries + 1 if seen == self._failed else 1
        self._retry_at = time.monotonic() + min(_LONGEST_RETRY, 2.0**self._tries)
        self._failed = seen
        self._restless = 0
