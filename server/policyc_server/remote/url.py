"""The URL of a bundle, as it is asked and as it is shown."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

_SCHEMES = ("https://", "http://")


@dataclass(frozen=True)
class BundleUrl:
    """``str`` of it is for people: without the query, in which some stores carry a signature."""

    text: str

    def __str__(self) -> str:
        return self.text.split("?", 1)[0].split("#", 1)[0]

    @property
    def name(self) -> str:
        return str(self).rstrip("/").rsplit("/", 1)[-1]


def is_url(text: str) -> bool:
    return text.lower().startswith(_SCHEMES)


def url_problem(url: str, credential: str = "give that as POLICYC_BUNDLE_HEADER") -> str | None:
    """What keeps ``url`` from being asked; None where nothing does. ``credential``: how one is given."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"it is no URL: {error}"
    if not host:
        return "it names no host"
    if parts.username is not None or parts.password is not None:
        return f"it holds a credential: {credential}"
    if parts.scheme == "http" and not is_loopback(host):
        return "http:// is for this machine alone: use https://"
    if parts.scheme not in ("https", "http"):
        return "it is neither https:// nor http://"
    return None


def origin(url: str) -> tuple[str, str | None, int | None]:
    """Who is asked at ``url``."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
