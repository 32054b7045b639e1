"""HTTP handlers: the event posted to a public https endpoint, as the egress proxy lets it pass."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from typing import Final

import httpx

from policyc.hooks.declared import Http
from policyc.hooks.runtime.answers import MAX_ANSWER
from policyc.hooks.runtime.causes import Attempt, NoSay
from policyc.hooks.runtime.network import Network, is_header
from policyc.hooks.runtime.pinned import Target, addresses_of, read_target, response_of
from policyc.hooks.runtime.sandbox import Sandbox

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


async def _exchange(http: Http, event: bytes, sandbox: Sandbox) -> Attempt:
    target = _target(http.url, sandbox.network)
    headers = _headers(http.headers, target, sandbox.network)
    addresses = await addresses_of(target, sandbox.wire.resolve)
    async with sandbox.wire.transport() as transport:
        response = await response_of(transport, target, addresses, headers, event)
        try:
            return await _attempt(response)
        except (httpx.TransportError, ssl.SSLError) as error:
            raise NoSay("exchange_failed", type(error).__name__) from None
        finally:
            await response.aclose()


def _target(url: str, network: Network) -> Target:
    target = read_target(url)
    if not network.allows(target.host):
        raise NoSay("host_not_allowed", target.host)
    return target


def _headers(declared: Mapping[str, str], target: Target, network: Network) -> dict[str, str]:
    if not all(is_header(name, value) for name, value in declared.items()):
        raise NoSay("header_invalid")
    own = {name.lower(): value for name, value in declared.items()}
    merged = {**_DEFAULTS, **own, **network.headers(target.host)}
    kept = {name: value for name, value in merged.items() if name not in _FIXED}
    return {**kept, "host": target.url.netloc.decode("ascii"), "accept-encoding": "identity"}


async def _attempt(response: httpx.Response) -> Attempt:
    if not response.is_success:
        return Attempt(cause="status_not_2xx", status=response.status_code)
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > MAX_ANSWER:
            return Attempt(None, status=response.status_code)
    return Attempt(bytes(body), status=response.status_code)
