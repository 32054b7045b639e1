"""HTTP handlers: the event posted to a public https endpoint, as the egress proxy lets it pass."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import httpx

from policyc.compiler.network import is_blocked_host, url_host
from policyc.hooks.declared import Http
from policyc.hooks.runtime.answers import MAX_ANSWER
from policyc.hooks.runtime.causes import Attempt, NoSay
from policyc.hooks.runtime.network import Network, is_header
from policyc.hooks.runtime.sandbox import Sandbox
from policyc.hooks.runtime.wire import Wire, is_public

_DEFAULT_PORT: Final = 443
_DEFAULTS: Final = {"accept": "application/json", "content-type": "application/json", "user-agent": "policyc"}
#: Ours alone: another Host would lead past the allowlist, and another length or framing past this request.
#: Without a content coding the size on the wire is the size in memory.
_FIXED: Final = frozenset(
    (
        "accept-encoding",
        "connection",
        "content-length",
        "host",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)


async def post(http: Http, event: bytes, timeout: float, sandbox: Sandbox) -> Attempt:
    """Posts ``event``; at most ``timeout`` seconds from the lookup of the name to the last byte."""
    try:
        async with asyncio.timeout(timeout):
            return await _exchange(http, event, sandbox)
    except TimeoutError:
        return Attempt(cause="timeout", detail=f"given up after {timeout:g} s")
    except NoSay as error:
        return Attempt(cause=error.cause, detail=error.detail)


@dataclass(frozen=True)
class _Target:
    url: httpx.URL
    host: str
    port: int


async def _exchange(http: Http, event: bytes, sandbox: Sandbox) -> Attempt:
    target = _target(http.url, sandbox.network)
    headers = _headers(http.headers, target, sandbox.network)
    addresses = await _addresses(target, sandbox.wire)
    async with sandbox.wire.transport() as transport:
        response = await _response(transport, target, addresses, headers, event)
        try:
            return await _attempt(response)
        except (httpx.TransportError, ssl.SSLError) as error:
            raise NoSay("exchange_failed", type(error).__name__) from None
        finally:
            await response.aclose()


def _target(url: str, network: Network) -> _Target:
    host = url_host(url)
    parts = urlsplit(url) if host else None
    if host is None or parts is None or parts.scheme != "https" or "@" in parts.netloc:
        raise NoSay("url_refused")
    if is_blocked_host(host):
        raise NoSay("target_refused", host)
    if not network.allows(host):
        raise NoSay("host_not_allowed", host)
    try:
        return _Target(httpx.URL(url), host, parts.port or _DEFAULT_PORT)
    except httpx.InvalidURL:
        raise NoSay("url_refused") from None


def _headers(declared: Mapping[str, str], target: _Target, network: Network) -> dict[str, str]:
    if not all(is_header(name, value) for name, value in declared.items()):
        raise NoSay("header_invalid")
    own = {name.lower(): value for name, value in declared.items()}
    merged = {**_DEFAULTS, **own, **network.headers(target.host)}
    kept = {name: value for name, value in merged.items() if name not in _FIXED}
    return {**kept, "host": target.url.netloc.decode("ascii"), "accept-encoding": "identity"}


async def _addresses(target: _Target, wire: Wire) -> Sequence[str]:
    """The addresses of the host. One that is not public refuses all: mixtures are how names are rebound."""
    try:
        found = await wire.resolve(target.host, target.port)
    except OSError as error:
        raise NoSay("name_unresolved", f"{target.host}: {error.strerror or error}") from None
    refused = [address for address in found if not is_public(address)]
    if refused:
        raise NoSay("target_refused", f"{target.host} leads to {refused[0]}")
    if not found:
        raise NoSay("name_unresolved", target.host)
    return found


async def _response(
    transport: httpx.AsyncBaseTransport,
    target: _Target,
    addresses: Sequence[str],
    headers: Mapping[str, str],
    event: bytes,
) -> httpx.Response:
    """The response of the first address that takes a connection. The name stays what TLS verifies."""
    refusals: list[NoSay] = []
    for address in addresses:
        url = target.url.copy_with(host=address, fragment=None)
        request = httpx.Request(
            "POST", url, headers=headers, content=event, extensions={"sni_hostname": target.host}
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


async def _attempt(response: httpx.Response) -> Attempt:
    if not response.is_success:
        return Attempt(cause="status_not_2xx", status=response.status_code)
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > MAX_ANSWER:
            return Attempt(None, status=response.status_code)
    return Attempt(bytes(body), status=response.status_code)
