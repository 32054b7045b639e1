"""From a loaded policy to the one that is served, the same wherever it came from."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace

from policyc.bundle.errors import BundleError
from policyc.loading import Loaded
from policyc_server import collector
from policyc_server.history import ServedVersions
from policyc_server.loader import PolicyLoader, Refused, snapshot_of
from policyc_server.snapshot import ReloadFailure, Serving

_log = logging.getLogger(__name__)


class Activation:
    """Swaps the reference that requests read, and keeps the account of it. One thread calls it.

    ``source`` is how people know where the policy comes from."""

    def __init__(self, source: str, serving: Serving, loader: PolicyLoader, history: ServedVersions) -> None:
        self.serving = serving
        self._source = source
        self._loader = loader
        self._history = history

    def serve(self, loaded: Loaded, keep: Callable[[], None] | None = None) -> None:
        """Admits ``loaded``, activates it, and then has it kept by ``keep``. Raises Refused, with the last
        good policy still served."""
        try:
            # Until it is kept, so that a worker that is slow cannot put an older one over it.
            with self._history.turn():
                self._loader.admit(loaded, self.serving.snapshot)
                self._activate(loaded)
                if keep is not None:
                    keep()
        except BundleError as error:
            raise Refused(error.code, str(error)) from None

    def confirmed(self, at: float) -> None:
        """What was to be served at the monotonic time ``at`` is served."""
        self.serving.failure = None
        self.serving.confirm(at)

    def failed(self, refused: Refused) -> None:
        """What is to be served is not; the last good policy stays."""
        serving = self.serving
        now = time.time()
        last = serving.failure
        if last is None or (last.code, last.message) != (refused.code, refused.message):
            _log.error("cannot serve %s: error[%s]: %s", self._source, refused.code, refused.message)
        first_at, attempts = (now, 1) if last is None else (last.first_at, last.attempts + 1)
        serving.failure = ReloadFailure(refused.code, refused.message, first_at, now, attempts)
        serving.counts = replace(serving.counts, failed=serving.counts.failed + 1)

    def _activate(self, loaded: Loaded) -> None:
        serving = self.serving
        current = serving.snapshot
        if current is not None and current.digest == loaded.digest:
            # The same content: nothing is activated, though it may have been signed anew.
            serving.snapshot = replace(current, version=loaded.version, signed_by=loaded.signed_by)
            serving.counts = replace(serving.counts, unchanged=serving.counts.unchanged + 1)
            return
        serving.snapshot = snapshot_of(loaded)
        serving.counts = replace(serving.counts, activated=serving.counts.activated + 1)
        collector.keep()
        _log.info("activated %s revision %s", loaded.bundle, loaded.revision)
