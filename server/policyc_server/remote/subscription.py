"""The hot reload of a URL: a thread that asks for something new, and serves it once it is checked.

An ETag is remembered only for what was activated, so a download that cannot be served is asked for again; and
the bytes are kept only then too.
"""

from __future__ import annotations

import hashlib
import logging
import random
import threading
import time
from typing import Any

from policyc.bundle.errors import BundleError
from policyc_server import collector
from policyc_server.activation import Activation
from policyc_server.events.documents import moment
from policyc_server.loader import PolicyLoader, Refused
from policyc_server.looks import Looks
from policyc_server.remote.fetch import UNREACHABLE, Fetcher, FetchFailed
from policyc_server.remote.kept_copy import KeptCopy

_log = logging.getLogger(__name__)

#: Seconds until the first retry; doubled for each one after it, up to the interval.
_FIRST_RETRY = 0.5
#: How much sooner or later than the interval a look is, so that servers do not look together.
_JITTER = 0.25


class Subscription:
    """Keeps what is served equal to what ``fetcher`` finds, looking every ``interval`` seconds."""

    def __init__(
        self,
        fetcher: Fetcher,
        copy: KeptCopy | None,
        interval: float,
        loader: PolicyLoader,
        activation: Activation,
    ) -> None:
        self._fetcher = fetcher
        self._copy = copy
        self._interval = interval
        self._loader = loader
        self._activation = activation
        self._etag: str | None = None
        self._served: str | None = None  # SHA-256 of the bytes
        self._origin: str | None = None
        self._status: int | None = None
        self._asked_at: int | None = None
        self._answered_at: int | None = None
        self._copy_error: str | None = None
        self._tries = 0
        self._is_stopping = False
        self._wake = threading.Event()
        self.looks = Looks(self._wake.set)
        # A daemon, since a source that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="policy-download", daemon=True)
        self.events_error: str | None = None

    def load_first(self) -> None:
        """The source, or what was kept of it where it is down; on the calling thread."""
        self._recall()
        if self._served is None:
            self._look()

    @property
    def is_awaited(self) -> bool:
        failure = self._activation.serving.failure
        return failure is not None and failure.code in UNREACHABLE

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout: float) -> None:
        self._is_stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout)
        self._fetcher.close()

    def download(self) -> dict[str, Any]:
        """How it stands, as `/v1/status` shows it."""
        return {
            "etag": self._etag,
            "http_status": self._status,
            "asked_at": None if self._asked_at is None else moment(self._asked_at),
            "answered_at": None if self._answered_at is None else moment(self._answered_at),
            "served_from": self._origin,
            "copy_error": self._copy_error,
        }

    def _run(self) -> None:
        while not self._is_over():
            self._wake.clear()
            self.looks.begin()
            try:
                self._look()
            except Exception:
                _log.exception("the look at the bundle's source failed")
                self._tries += 1
            self.looks.end()

    def _is_over(self) -> bool:
        self._wake.wait(self._pause())
        return self._is_stopping

    def _pause(self) -> float:
        if self._asked_at is None:
            return 0.0
        base = min(self._interval, _FIRST_RETRY * 2.0 ** (self._tries - 1)) if self._tries else self._interval
        return base * random.uniform(1 - _JITTER, 1 + _JITTER)

    def _recall(self) -> None:
        """Serves what was kept, checked like everything else; what cannot be served is no reason to stop."""
        try:
            found = None if self._copy is None else self._copy.load()
            if found is not None:
                content, etag = found
                self._activation.serve(self._loader.load_artifact(content))
                self._served, self._etag, self._origin = _hash(content), etag, "copy"
        except (BundleError, Refused) as error:
            self._copy_error = f"{error.code}: {error.message}"
            _log.warning("the kept copy of the bundle is not served: %s", self._copy_error)

    def _look(self) -> None:
        looked_at = time.monotonic()
        self._asked_at = time.time_ns() // 1000
        try:
            fetched = self._fetcher.fetch(self._etag)
            self._status = fetched.status
            self._answered_at = time.time_ns() // 1000
            if fetched.content is not None:
                self._take(fetched.content, fetched.etag)
            self._etag = fetched.etag
        except Refused as error:
            if isinstance(error, FetchFailed):
                self._status = error.status
            self._tries += 1
            self._activation.failed(error)
        else:
            self._tries = 0
            self._origin = "source"
            self._activation.confirmed(looked_at)

    def _take(self, content: bytes, etag: str | None) -> None:
        """Serves ``content`` unless it is served already. Raises Refused."""
        served = _hash(content)
        if served != self._served:
            with collector.without_collections():
                loaded = self._loader.load_artifact(content)
                self._activation.serve(loaded, lambda: self._keep(content, etag))
            self._served = served
        elif etag != self._etag:
            self._keep(content, etag)

    def _keep(self, content: bytes, etag: str | None) -> None:
        """A copy that cannot be kept is no reason not to serve: the next start needs the source."""
        if self._copy is None:
            return
        try:
            self._copy.save(content, etag)
            self._copy_error = None
        except OSError as error:
            said = f"copy_unwritable: {error.strerror or error}"
            if said != self._copy_error:
                _log.warning("the bundle is served, but no copy of it can be kept: %s", said)
            self._copy_error = said


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
