"""The app: settings in, one plain ASGI callable out."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from policyc_server.approvals.approvals import Approvals
from policyc_server.approvals.holds import Holds
from policyc_server.auth.guard import Keys
from policyc_server.auth.identity import REVIEWER
from policyc_server.auth.keyring import Keyring
from policyc_server.auth.keys_file import KeysFileError
from policyc_server.console.console import Console
from policyc_server.decide import Decider
from policyc_server.events.kept import Kept
from policyc_server.fleet.metrics import GroupExposition, published
from policyc_server.fleet.seat import Seat
from policyc_server.gateway.entrance import Entrance
from policyc_server.gateway.gateway import Gateway
from policyc_server.gateway.metering import Meter
from policyc_server.guards import ErrorBoundary, LocalRequests
from policyc_server.history import ServedVersions
from policyc_server.jsonlines import JsonLinesSink
from policyc_server.metrics import Exposition, RequestMetrics
from policyc_server.operations import Operations
from policyc_server.routes import Dispatch, decision_routes, operation_routes
from policyc_server.settings import Settings, SettingsError, SettingsProblem, check_settings
from policyc_server.sink import DecisionSink
from policyc_server.snapshot import Serving
from policyc_server.source import open_source
from policyc_server.store.keys import KeyStore

if TYPE_CHECKING:
    from policyc_server.mcp.http.endpoint import McpEndpoint

_log = logging.getLogger(__name__)

_STOP_WITHIN = 2.0


class App:
    """The evaluator as an ASGI app.

    It has looked at the disk once when it is made, and may have found nothing to serve: then it answers
    closed until the reload, which runs with the lifespan, finds something."""

    def __init__(
        self,
        settings: Settings,
        sink: DecisionSink | None,
        history: ServedVersions,
        keyring: Keyring,
        kept: Kept | None,
        seat: Seat | None = None,
    ) -> None:
        self.settings = settings
        self.serving = Serving(settings.max_stale)
        self._history = history
        self._sink = sink
        self._kept = kept
        self._keyring = keyring
        self.source = open_source(settings, self.serving, history)
        requests = RequestMetrics()
        self._approvals = None if kept is None else Approvals(kept, keyring, self.serving, settings)
        health = None if self._approvals is None else self._approvals.health
        exposition = Exposition(requests, self.serving, sink, kept, health)
        self._group = None if seat is None else GroupExposition(exposition, seat)
        operations = Operations(
            settings, self.serving, self.source, sink, self._group or exposition, kept, health, seat
        )
        decider = Decider(
            self.serving,
            requests,
            sink,
            recorder=None if kept is None else kept.recorder,
            lockdown=None if kept is None else kept.lockdown,
            budgets=None if kept is None else kept.budgets,
        )
        routes = operation_routes(operations) + ([] if kept is None else kept.routes())
        holds = None
        if kept is not None and self._approvals is not None:
            console = Console(settings, self.serving, operations, kept, keyring, self._approvals.desk)
            routes += [*self._approvals.routes(), *console.routes()]
            holds = self._approvals.holds
        entrance = Entrance(settings.upstreams, keyring)
        meter = Meter(settings.prices, None if kept is None else kept.budgets)
        self._gateway = Gateway(settings, entrance, decider, holds, meter) if settings.upstreams else None
        self._mcp = None if not settings.mcp_servers else self._mcp_endpoint(decider, holds)
        if self._mcp is not None:
            routes += self._mcp.routes()
        decisions = decision_routes(decider, settings, holds)
        dispatch = Dispatch(decisions, routes, self._lifespan, self._gateway)
        self._app = self._guarded(dispatch, requests, entrance)
        self.source.load_first()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def drain(self) -> None:
        """Ends what would keep the server from stopping."""
        if self._kept is not None:
            self._kept.events.is_closing = True
        if self._approvals is not None:
            self._approvals.endpoints.is_closing = True
        if self._mcp is not None:
            self._mcp.is_closing = True

    def close(self) -> None:
        """Stops the reload, writes what waits to be kept and gives up the state folder."""
        self.source.stop(_STOP_WITHIN)
        self._keyring.close()
        if self._approvals is not None:
            self._approvals.close(_STOP_WITHIN)
        if self._kept is not None:
            self._kept.close(_STOP_WITHIN)
        if self._sink is not None:
            self._sink.close(_STOP_WITHIN)
        self._history.close()

    def _mcp_endpoint(self, decider: Decider, holds: Holds | None) -> McpEndpoint:
        from policyc_server.mcp.firewall import Firewall  # its SDK is an extra
        from policyc_server.mcp.http.endpoint import McpEndpoint
        from policyc_server.mcp.http.sessions import open_sessions

        store = None if self._kept is None else self._kept.store
        if store is None:
            _log.warning("without a store, changed tools of MCP servers go unnoticed")
        tools = None if store is None else store.mcp_tools
        firewall = Firewall.of(decider, holds, self.serving, tools, self.settings.deadline)
        return McpEndpoint(self.settings, firewall, open_sessions(store))

    def _guarded(self, app: ASGIApp, requests: RequestMetrics, entrance: Entrance) -> ASGIApp:
        app = Keys(app, self._keyring, entrance)
        if self.settings.is_loopback:
            app = LocalRequests(app)
        return ErrorBoundary(app, requests, entrance)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _router: Router) -> AsyncIterator[None]:
        self.source.start()
        if self._kept is not None:
            self._kept.heartbeat.start()
        try:
            async with contextlib.AsyncExitStack() as running:
                if self._group is not None:
                    await running.enter_async_context(published(self._group))
                if self._mcp is not None:
                    await running.enter_async_context(self._mcp.connected())
                yield
        finally:
            if self._gateway is not None:
                await self._gateway.close()
            self.close()


def create_app(settings: Settings, sink: DecisionSink | None = None, seat: Seat | None = None) -> App:
    """The evaluator for `settings`. `sink` replaces the decision log of the settings; workers have a `seat`.

    Raises SettingsError, StoreError, and BundleError where the record in `state` cannot be used.
    """
    problems = check_settings(settings)
    if problems:
        raise SettingsError(problems)
    history = ServedVersions(settings.state) if seat is None else ServedVersions(seat.record, is_group=True)
    url = settings.store_url
    kept = None if url is None else Kept(url, settings)
    keyring = open_keyring(settings, None if kept is None else kept.store.keys)
    if sink is None and settings.decisions_log is not None:
        sink = JsonLinesSink(settings.decisions_log, settings.decisions_queue)
    return App(settings, sink, history, keyring, kept, seat)


def open_keyring(settings: Settings, store: KeyStore | None) -> Keyring:
    """The keys of a server. Raises SettingsError: unusable, or none where other machines come."""
    by_proxy = any(role == REVIEWER for _, role in settings.console_users)
    try:
        keyring = Keyring(token=settings.token, file=settings.keys_file, store=store, others_review=by_proxy)
    except KeysFileError as error:
        raise SettingsError((SettingsProblem("keys_unreadable", str(error)),)) from None
    if keyring.is_empty and not settings.is_loopback:
        keyring.close()
        reached = f"{settings.host} can be reached from other machines"
        needed = "make a key with `policyc keys create`, or set a token"
        raise SettingsError((SettingsProblem("keys_required", f"{reached}: {needed}"),))
    return keyring
