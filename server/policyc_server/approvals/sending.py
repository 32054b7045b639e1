"""One webhook over the network: to the internet by https, to an address that was checked."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping

import httpx

from policyc.engine.addresses import parse_address, parse_network
from policyc.hooks.runtime.causes import CAUSES, NoSay
from policyc.hooks.runtime.pinned import Target, addresses_of, read_target, response_of
from policyc.hooks.runtime.wire import Wire, is_public

TIMEOUT = 10.0
_LOOPBACK = (parse_network("127.0.0.0/8"), parse_network("::1"))


def webhook_target(url: str, *, loopback: bool) -> Target:
    """Where ``url`` leads; with ``loopback`` only to this machine, also over plain http. Raises NoSay."""
    if not loopback:
        return read_target(url)
    target = read_target(url, schemes=("https", "http"), local=True)
    # A name would be resolved by somebody else, and plain http is read on the way.
    if not _is_loopback(target.host):
        raise NoSay("target_refused", "not this machine")
    return target


async def send(
    url: str, headers: Mapping[str, str], body: bytes, *, loopback: bool, wire: Wire | None = None
) -> str | None:
    """Posts ``body``; None once the answer is a 2xx, else why it was not delivered."""
    try:
        async with asyncio.timeout(TIMEOUT):
            return await _send(url, headers, body, loopback=loopback, wire=wire or Wire())
    except TimeoutError:
        return f"given up after {TIMEOUT:g} s"
    except NoSay as error:
        return f"{CAUSES[error.cause]} ({error.detail})" if error.detail else CAUSES[error.cause]


async def _send(
    url: str, headers: Mapping[str, str], body: bytes, *, loopback: bool, wire: Wire
) -> str | None:
    target = webhook_target(url, loopback=loopback)
    addresses = await addresses_of(target, wire.resolve, _is_loopback if loopback else is_public)
    whole = {**headers, "host": target.url.netloc.decode("ascii"), "content-type": "application/json"}
    async with wire.transport() as connection:
        response = await response_of(connection, target, addresses, whole, body)
        try:
            return None if response.is_success else f"the status is {response.status_code}"
        except (httpx.TransportError, ssl.SSLError) as error:
            raise NoSay("exchange_failed", type(error).__name__) from None
        finally:
            await response.aclose()


def _is_loopback(host: str) -> bool:
    address = parse_address(host)
    return address is not None and any(address in network for network in _LOOPBACK)
