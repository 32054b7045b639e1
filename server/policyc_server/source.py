"""Where the policy comes from, and what keeps it up to date."""

from __future__ import annotations

from typing import Any, Protocol

from policyc_server.activation import Activation
from policyc_server.history import ServedVersions
from policyc_server.loader import PolicyLoader
from policyc_server.looks import Looks
from policyc_server.reload import Reloader
from policyc_server.remote.fetch import Fetcher
from policyc_server.remote.kept_copy import KeptCopy
from policyc_server.remote.subscription import Subscription
from policyc_server.remote.url import BundleUrl
from policyc_server.settings import Settings
from policyc_server.snapshot import Serving


class Source(Protocol):
    """Keeps what is served equal to its source, on a thread of its own."""

    @property
    def looks(self) -> Looks:
        """Looks at the source beside those that happen anyway."""
        ...

    @property
    def events_error(self) -> str | None:
        """Why no file events arrive."""
        ...

    @property
    def is_awaited(self) -> bool:
        """Whether a start with nothing to serve is worth it: the source is only out of reach."""
        ...

    def load_first(self) -> None: ...

    def start(self) -> None: ...

    def stop(self, timeout: float) -> None: ...

    def download(self) -> dict[str, Any] | None:
        """How a download stands; None where the source is on disk."""
        ...


def open_source(settings: Settings, serving: Serving, history: ServedVersions) -> Source:
    """The source that ``settings`` name."""
    loader = PolicyLoader(settings, history)
    activation = Activation(str(settings.bundle), serving, loader, history)
    if not isinstance(settings.bundle, BundleUrl):
        return Reloader(settings.bundle, settings, loader, activation)
    fetcher = Fetcher(settings.bundle, settings.bundle_header, settings.download_deadline)
    copy = None if settings.state is None else KeptCopy(settings.state, settings.bundle)
    return Subscription(fetcher, copy, settings.refresh_interval, loader, activation)
