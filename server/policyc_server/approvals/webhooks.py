"""Deliveries out of the store, on a thread for each URL: one process at a time, and again where it fails."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from urllib.parse import urlsplit

from sqlalchemy.exc import SQLAlchemyError

from policyc_server.approvals.approval import PENDING
from policyc_server.approvals.sending import TIMEOUT, send
from policyc_server.approvals.signing import signed_headers
from policyc_server.clock import microseconds
from policyc_server.settings import Settings
from policyc_server.store.deliveries import Delivery
from policyc_server.store.store import Store

_log = logging.getLogger(__name__)

_LOOK = 0.5
_SECOND = 1_000_000
#: Whoever claims a delivery and dies leaves it to the others after this long.
_LEASE = int(TIMEOUT * 3) * _SECOND
#: Seconds until the next attempt, doubled by each, and the longest.
_FIRST_PAUSE = 2
_LONGEST_PAUSE = 300


class Webhooks:
    """Delivers for as long as the hold waits: about one that is over there is nothing to tell."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._closing = threading.Event()
        # One for each, so that a receiver that hangs keeps nothing from the others.
        self._threads = [
            threading.Thread(target=self._run, args=(url,), name="webhooks", daemon=True)
            for url in dict.fromkeys(settings.webhooks)
        ]
        for thread in self._threads:
            thread.start()

    def close(self, timeout: float) -> None:
        self._closing.set()
        until = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _run(self, url: str) -> None:
        while not self._closing.wait(_LOOK):
            try:
                while not self._closing.is_set() and self._deliver_one(url):
                    pass
            except SQLAlchemyError as error:
                _log.warning("webhooks cannot be read from the store: %s", getattr(error, "orig", error))

    def _deliver_one(self, url: str) -> bool:
        """Whether there was one."""
        deliveries = self._store.deliveries
        delivery = deliveries.claim(microseconds(), urls=(url,), lease=_LEASE)
        if delivery is None:
            return False
        approval = self._store.approvals.get(delivery.approval, microseconds())
        if approval is None or approval.state != PENDING:
            deliveries.failed(delivery, "the hold is over", None)
            return True
        error = asyncio.run(self._send(delivery))
        if error is None:
            deliveries.delivered(delivery, microseconds())
        else:
            # Without its path, which often is a secret.
            _log.warning("webhook to %s not delivered: %s", urlsplit(delivery.url).hostname, error)
            deliveries.failed(delivery, error, microseconds() + _pause(delivery.attempts) * _SECOND)
        return True

    async def _send(self, delivery: Delivery) -> str | None:
        secret = self._settings.webhook_secret
        assert secret is not None  # the settings are checked
        body = delivery.body.encode()
        headers = {
            "X-Policyc-Event": delivery.event,
            "X-Policyc-Delivery": str(delivery.seq),
            **signed_headers(secret, body, time.time()),
        }
        return await send(delivery.url, headers, body, loopback=self._settings.webhook_loopback)


def _pause(attempts: int) -> int:
    return min(_FIRST_PAUSE << min(attempts - 1, 10), _LONGEST_PAUSE)
