"""A POST to a URL that somebody else chose: its name is resolved once, every address is checked, and the
connection goes to one of those."""

from __future__ import annotations

import os
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import httpx

from policyc.compiler.network import is_blocked_host, url_host
from policyc.hooks.runtime.causes import NoSay
from policyc.hooks.runtime.wire import is_public

_PORTS: Final = {"https": 443, "http": 80}


@dataclass(frozen=True)
class Target:
    """A URL that may be posted to, as far as it says itself where it leads."""

    url: httpx.URL
    host: str
    port: int


def read_target(url: str, *, schemes: Sequence[str] = ("https",), local: bool = False) -> Target:
    """The target of ``url``; ``local`` lets it name this machine or its network. Raises NoSay."""
    host = url_host(url)
    parts = urlsplit(url) if host else None
    if host is None or parts is None or parts.scheme not in schemes or "@" in parts.netloc:
        raise NoSay("url_refused")
    if is_blocked_host(host) and not local:
        raise NoSay("target_refused", host)
    try:
        return Target(httpx.URL(url), host, parts.port or _PORTS[parts.scheme])
    except httpx.InvalidURL:
        raise NoSay("url_refused") from None


async def addresses_of(
    target: Target,
    resolve: Callable[[str, int], Awaitable[Sequence[str]]],
    is_allowed: Callable[[str], bool] = is_public,
) -> Sequence[str]:
    """The addresses of the host. One that is not allowed refuses all: mixtures are how names are rebound.

    Raises NoSay."""
    try:
        found = await resolve(target.host, target.port)
    except OSError as error:
        raise NoSay("name_unresolved", f"{target.host}: {error.strerror or error}") from None
    refused = [address for address in found if not is_allowed(address)]
    if refused:
        raise NoSay("target_refused", f"{target.host} leads to {refused[0]}")
    if not found:
        raise NoSay("name_unresolved", target.host)
    return found


async def response_of(
    transport: httpx.AsyncBaseTransport,
    target: Target,
    addresses: Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
) -> httpx.Response:
    """The response of the first address that takes a connection. The name stays what TLS verifies.

    Raises NoSay."""
    refusals: list[NoSay] = []
    for address in addresses:
        url = target.url.copy_with(host=address, fragment=None)
        request = httpx.Request(
            "POST", url, headers=headers, content=body, extensions={"sni_hostname": target.host}
        )
        try:
            return await transport.handle_async_request(request)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            refusals.append(_not_connected(error))
        except (httpx.TransportError, ssl.SSLError) as error:
            raise NoSay("exchange_failed", type(error).__name__) from None
    raise refusals[-1]


def _not_connected(error: BaseException) -> NoSay:
    """The cause at the bottom of ``error``. Only the words of TLS and of the system are repeated."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
        if isinstance(error, ssl.SSLCertVerificationError):
            return NoSay("tls_failed", error.verify_message)
        if isinstance(error, ssl.SSLError):
            return NoSay("tls_failed", error.reason or "")
    number = error.errno if isinstance(error, OSError) else None
    return NoSay("connection_failed", os.strerror(number) if number else "")
