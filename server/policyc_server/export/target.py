"""Where events go: one URL each, read strictly."""

from __future__ import annotations

from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit

#: Every kind of target by its scheme, and whether it needs a host and port, a host, or a path.
_NEEDS = {
    "http": ("host",),
    "https": ("host",),
    "syslog+udp": ("host", "port"),
    "syslog+tcp": ("host", "port"),
    "syslog+tls": ("host", "port"),
    "syslog+unix": ("path",),
}


class ExportFailed(Exception):
    """The target did not take a batch; it is sent again."""


class Target(Protocol):
    """Takes events in their order."""

    name: str
    """For people, without credentials; it also names the cursor."""

    def send(self, events: list[dict[str, Any]]) -> None:
        """Returns once all are taken, as far as the protocol says so. Raises ExportFailed."""

    def close(self) -> None: ...


def target_problem(text: str) -> str | None:
    """What keeps the URL of a target from being used; None where nothing does."""
    shown = repr(_shown(text))
    try:
        parts = urlsplit(text)
        found = {"host": parts.hostname, "port": parts.port, "path": parts.path}
    except ValueError as error:
        return f"{shown} is no URL: {error}"
    needs = _NEEDS.get(parts.scheme)
    if needs is None:
        return f"{shown} is no export; there are {', '.join(f'{scheme}://' for scheme in _NEEDS)}"
    for need in needs:
        if not found[need]:
            return f"{shown} names no {need}"
    if parts.username is not None or parts.password is not None:
        return f"{shown} holds a credential: give it as OTEL_EXPORTER_OTLP_HEADERS"
    return None


def open_target(text: str) -> Target:
    """The target of a URL that has no problem; nothing is connected yet."""
    # Here, since settings are checked without them.
    from policyc_server.export.otlp import OtlpTarget
    from policyc_server.export.syslog import SyslogTarget

    parts: SplitResult = urlsplit(text)
    if parts.scheme in ("http", "https"):
        return OtlpTarget(text, _shown(text))
    return SyslogTarget(parts.scheme.removeprefix("syslog+"), parts.hostname, parts.port, parts.path)


def _shown(text: str) -> str:
    scheme, mark, rest = text.partition("://")
    return scheme + mark + rest.split("?", 1)[0].rsplit("@", 1)[-1]
