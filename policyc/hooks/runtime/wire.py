"""Names to addresses, and the connection to one of them."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import httpx

from policyc.engine.loose_addresses import Address, literal


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of ``host``. Raises OSError.

    In a thread of its own: a lookup cannot be cancelled, and one that hangs must not outlive the timeout in a
    pool that the event loop waits for at its end.
    """
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str] | OSError] = loop.create_future()

    def settle(answer: list[str] | OSError) -> None:
        if not found.done():  # cancelled
            found.set_result(answer)

    def look_up() -> None:
        answer = _addresses(host, port)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, answer)

    threading.Thread(target=look_up, name="resolve", daemon=True).start()
    answer = await found
    if isinstance(answer, OSError):
        raise answer
    return answer


def _addresses(host: str, port: int) -> list[str] | OSError:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        return error
    except UnicodeError:  # a label that is too long
        return OSError("no host name")
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def is_public(address: str) -> bool:
    """Whether packets to ``address`` leave for the internet, also by the IPv4 address inside an IPv6 one."""
    readings = literal(address)
    return bool(readings) and all(map(_is_public, readings))


def _is_public(address: Address) -> bool:
    version, value = address
    if version == 4:
        four = ipaddress.IPv4Address(value)
        return four.is_global and not four.is_multicast
    six = ipaddress.IPv6Address(value)
    return six.is_global and not six.is_multicast and not six.is_site_local


def transport() -> httpx.AsyncBaseTransport:
    """HTTP/1.1 over TLS with the certificates that this machine trusts. No proxy: the address is pinned."""
    return httpx.AsyncHTTPTransport(verify=_trust(), trust_env=False)


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()


@dataclass(frozen=True)
class Wire:
    """How HTTP handlers reach a host. ``resolve`` gives its addresses, which are checked and then connected
    to; ``transport`` makes the connection to the address in the request's URL."""

    resolve: Callable[[str, int], Awaitable[Sequence[str]]] = resolve
    transport: Callable[[], httpx.AsyncBaseTransport] = transport
