"""What every page of the console stands on: the templates, and what the frame around each page says."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from policyc_server.auth.sessions import Visitor
from policyc_server.clock import microseconds
from policyc_server.console.rendering import Renderer
from policyc_server.errors import ApiError
from policyc_server.events.kept import Kept
from policyc_server.settings import Settings
from policyc_server.snapshot import Serving
from policyc_server.store.reading import reading


class Site:
    """Renders pages; ``show`` with the frame that a visitor sees."""

    def __init__(self, settings: Settings, serving: Serving, kept: Kept) -> None:
        self.settings = settings
        self.proxies = settings.proxies
        self.serving = serving
        self.kept = kept
        self._renderer = Renderer()

    async def show(self, template: str, visitor: Visitor, status: int = 200, /, **context: Any) -> Response:
        """A page with the navigation. Raises ApiError 503."""
        pending = await reading(self.kept.store.approvals.count_pending, microseconds())
        frame = {
            "visitor": visitor,
            "snapshot": self.serving.snapshot,
            "lockdown": self.kept.lockdown.document(),
            "pending": pending,
            "is_stale": self.serving.is_stale,
        }
        return self._renderer.page(template, status, **frame, **context)

    def page(self, template: str, status: int = 200, /, **context: Any) -> Response:
        """A page without the navigation."""
        return self._renderer.page(template, status, **context)

    def error(self, error: ApiError) -> Response:
        """What went wrong, for people."""
        return self.page("error.html", error.status, error=error)
