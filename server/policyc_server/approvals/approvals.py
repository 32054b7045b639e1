"""Approvals of one server: holds, the desk that decides them, webhooks, and what of that HTTP shows."""

from __future__ import annotations

from starlette.routing import Route

from policyc_server.approvals.announcing import Announcer
from policyc_server.approvals.desk import Desk
from policyc_server.approvals.endpoints import ApprovalEndpoints
from policyc_server.approvals.health import ApprovalHealth
from policyc_server.approvals.holds import Holds
from policyc_server.approvals.webhooks import Webhooks
from policyc_server.auth.keyring import Keyring
from policyc_server.settings import Settings
from policyc_server.snapshot import Serving
from policyc_server.store.store import Store

_TOKENS = "approval_tokens"


class Approvals:
    """Everything about approvals on ``store``. ``fingerprints`` is the secret of fingerprints."""

    def __init__(
        self, store: Store, keyring: Keyring, serving: Serving, settings: Settings, fingerprints: bytes
    ) -> None:
        tokens = store.secret(_TOKENS)
        self.health = ApprovalHealth(store.approvals)
        self.desk = Desk(store.approvals, self.health)
        self.holds = Holds(
            store.approvals,
            keyring,
            self.health,
            fingerprints=fingerprints,
            tokens=tokens,
            ttl=settings.approval_ttl,
            cap=settings.approvals_per_run,
            announce=Announcer(settings.webhooks),
        )
        self.endpoints = ApprovalEndpoints(store.approvals, self.desk, serving, settings, tokens)
        self._webhooks = Webhooks(store, settings)

    def routes(self) -> list[Route]:
        return self.endpoints.routes()

    def close(self, timeout: float) -> None:
        self._webhooks.close(timeout)
        self.health.close()
