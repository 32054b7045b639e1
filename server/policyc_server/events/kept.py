"""What one server keeps, and the threads that do it."""

from __future__ import annotations

from typing import Any

from starlette.routing import Route

from policyc_server.budgets.counting import Budgets
from policyc_server.events.endpoints import EventEndpoints
from policyc_server.events.recorder import Recorder
from policyc_server.events.retention import Retention
from policyc_server.events.writer import EventWriter
from policyc_server.export.exporter import Exporter
from policyc_server.export.target import open_target
from policyc_server.fleet.heartbeat import Heartbeat
from policyc_server.lockdown import Lockdown, LockdownEndpoint
from policyc_server.mcp.pins_endpoint import PinsEndpoint
from policyc_server.settings import Settings
from policyc_server.store.store import Store

_FINGERPRINTS = "fingerprints"


class Kept:
    """Opens the store at ``url``; everything that writes events to it, and the endpoints that read them.

    Raises StoreError."""

    def __init__(self, url: str, settings: Settings) -> None:
        self.store = Store(url)
        self.writer = EventWriter(self.store.events, settings.events_queue)
        #: The secret of fingerprints.
        self.fingerprints = self.store.secret(_FINGERPRINTS)
        self.recorder = Recorder(self.writer, self.fingerprints, is_durable=settings.durable_events)
        self.events = EventEndpoints(self.store.events)
        self.budgets = Budgets(self.store.counters)
        self.heartbeat = Heartbeat(self.store.workers)
        self._exporters = [
            Exporter(open_target(target), self.store.events, self.store.cursors)
            for target in settings.exports
        ]
        self.lockdown = Lockdown(self.store.switches)
        self._lockdown_routes = LockdownEndpoint(self.lockdown, settings).routes()
        self._pin_routes = PinsEndpoint(self.store.mcp_tools, settings).routes()
        self._retention = Retention(self.store, days=settings.keep_days, keep=settings.keep_events)

    def routes(self) -> list[Route]:
        """What is read and switched over HTTP."""
        return [*self.events.routes(), *self._lockdown_routes, *self._pin_routes]

    def exports(self) -> list[dict[str, Any]]:
        """How each export stands."""
        return [exporter.status() for exporter in self._exporters]

    def close(self, timeout: float) -> None:
        """Writes what waits, for at most ``timeout`` seconds."""
        self.writer.close(timeout)
        self._retention.close(timeout)
        self.lockdown.close()
        for exporter in self._exporters:
            exporter.close(timeout)
        self.heartbeat.close(timeout)
        self.store.close()
