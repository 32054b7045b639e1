"""The store of one server: one database, and each kind of thing in it."""

from __future__ import annotations

from policyc_server.store.approvals import ApprovalStore
from policyc_server.store.counters import CounterStore
from policyc_server.store.cursors import CursorStore
from policyc_server.store.database import open_database
from policyc_server.store.deliveries import DeliveryStore
from policyc_server.store.events import EventStore
from policyc_server.store.keys import KeyStore
from policyc_server.store.mcp_tools import McpToolStore
from policyc_server.store.secrets import shared_secret
from policyc_server.store.sessions import SessionStore
from policyc_server.store.switches import SwitchStore
from policyc_server.store.workers import WorkerStore


class Store:
    """Opens the database at ``url`` and brings it to the current schema. Raises StoreError."""

    def __init__(self, url: str) -> None:
        self._engine = open_database(url)
        self.approvals = ApprovalStore(self._engine)
        self.counters = CounterStore(self._engine)
        self.deliveries = DeliveryStore(self._engine)
        self.cursors = CursorStore(self._engine)
        self.events = EventStore(self._engine)
        self.keys = KeyStore(self._engine)
        self.mcp_tools = McpToolStore(self._engine)
        self.sessions = SessionStore(self._engine)
        self.switches = SwitchStore(self._engine)
        self.workers = WorkerStore(self._engine)

    def secret(self, name: str) -> bytes:
        """A secret that every process on this database shares."""
        return shared_secret(self._engine, name)

    def close(self) -> None:
        self._engine.dispose()
