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
from policyc_server.events.kept import Kept
from policyc_server.settings import Settings
from policyc_server.snapshot import Serving

_TOKENS = "approval_tokens"


class Approvals:
    """Everything about approvals of what is ``kept``."""

    def __init__(self, kept: Kept, keyring: Keyring, serving: Serving, settings: Settings) -> None:
        store = kept.store
        tokens = store.secret(_TOKENS)
        self.health = ApprovalHealth(store.approvals)
        self.desk = Desk(store.approvals, keyring, self.health)
        self.holds = Holds(
            store.approvals,
            keyring,
            self.health,
            fingerprints=kept.fingerprints,
            tokens=tokens,
            ttl=settings.approval_ttl,
            cap=settings.approvals_per_run,
            announce=Announcer(settings.webhooks, settings.public_url),
            process=kept.heartbeat.id,
        )
        self.endpoints = ApprovalEndpoints(store.approvals, self.desk, serving, settings, tokens)
        self._webhooks = Webhooks(store, settings)

    def routes(self) -> list[Route]:
        return self.endpoints.routes()

    def close(self, timeout: float) -> None:
        self._webhooks.close(timeout)
        self.health.close()
