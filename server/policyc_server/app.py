"""The app: settings in, one plain ASGI callable out."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from policyc_server.decide import Decider
from policyc_server.guards import BearerToken, ErrorBoundary, LocalRequests
from policyc_server.history import ServedVersions
from policyc_server.jsonlines import JsonLinesSink
from policyc_server.loader import PolicyLoader
from policyc_server.metrics import Exposition, RequestMetrics
from policyc_server.operations import Operations
from policyc_server.reload import Reloader
from policyc_server.routes import Dispatch, decision_routes, operation_routes
from policyc_server.settings import Settings, SettingsError, check_settings
from policyc_server.sink import DecisionSink
from policyc_server.snapshot import Serving

_STOP_WITHIN = 2.0


class App:
    """The evaluator as an ASGI app.

    It has looked at the disk once when it is made, and may have found nothing to serve: then it answers
    closed until the reload, which runs with the lifespan, finds something."""

    def __init__(self, settings: Settings, sink: DecisionSink | None, history: ServedVersions) -> None:
        self.settings = settings
        self.serving = Serving(settings.max_stale)
        self._history = history
        self._sink = sink
        self._reloader = Reloader(settings, self.serving, PolicyLoader(settings, history))
        requests = RequestMetrics()
        exposition = Exposition(requests, self.serving, sink)
        operations = Operations(settings, self.serving, self._reloader, sink, exposition)
        decider = Decider(self.serving, requests, sink)
        self._app = self._guarded(
            Dispatch(decision_routes(decider, settings), operation_routes(operations), self._lifespan),
            requests,
        )
        self._reloader.load_first()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def close(self) -> None:
        """Stops the reload, writes the decision log and gives up the state folder."""
        self._reloader.stop(_STOP_WITHIN)
        if self._sink is not None:
            self._sink.close(_STOP_WITHIN)
        self._history.close()

    def _guarded(self, app: ASGIApp, requests: RequestMetrics) -> ASGIApp:
        if self.settings.token is not None:
            app = BearerToken(app, self.settings.token)
        if self.settings.is_loopback or self.settings.token is None:
            app = LocalRequests(app)
        return ErrorBoundary(app, requests)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _router: Router) -> AsyncIterator[None]:
        self._reloader.start()
        try:
            yield
        finally:
            self.close()


def create_app(settings: Settings, sink: DecisionSink | None = None) -> App:
    """The evaluator for `settings`. `sink` replaces the decision log of the settings.

    Raises SettingsError, and BundleError where the record in `state` cannot be used.
    """
    problems = check_settings(settings)
    if problems:
        raise SettingsError(problems)
    history = ServedVersions(settings.state)
    if sink is None and settings.decisions_log is not None:
        sink = JsonLinesSink(settings.decisions_log, settings.decisions_queue)
    return App(settings, sink, history)
