"""What a proxy in front is believed, when a request comes from its address: who the person is, where the
client is, and that it came by https."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.types import Scope

from policyc_server.auth.identity import ADMIN, REVIEWER, Identity

#: Roles that people have.
PEOPLE = (REVIEWER, ADMIN)

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Proxies:
    """The addresses of proxies in front of this server."""

    networks: tuple[_Network, ...]

    @classmethod
    def of(cls, addresses: Iterable[str]) -> Proxies:
        """Raises ValueError for what is no address and no block."""
        return cls(tuple(ipaddress.ip_network(address) for address in addresses))

    def client(self, scope: Scope) -> str:
        """The address that the request came from: of what proxies added to ``X-Forwarded-For``, the last that
        is not a proxy's own. What stands before that anybody may have written."""
        address = scope["client"][0] if scope.get("client") else "unknown"
        named = ",".join(_values(scope, b"x-forwarded-for")).split(",")
        while self.have(address) and named:
            before = named.pop().strip()
            if _address(before) is None:
                break
            address = before
        return address

    def is_https(self, scope: Scope) -> bool:
        """Whether the client came by https, to this server or to the proxy."""
        if scope["scheme"] == "https":
            return True
        named = _values(scope, b"x-forwarded-proto")
        return self.have_sent(scope) and named[-1:] == ["https"]

    def have_sent(self, scope: Scope) -> bool:
        return bool(scope.get("client")) and self.have(scope["client"][0])

    def have(self, address: str) -> bool:
        found = _address(address)
        return found is not None and any(
            found in network for network in self.networks if network.version == found.version
        )


@dataclass(frozen=True)
class TrustedProxy:
    """``header`` is believed where it comes from one of ``proxies``; ``users`` maps names to roles."""

    header: bytes
    proxies: Proxies
    users: dict[str, str]

    @classmethod
    def of(cls, header: str, addresses: Iterable[str], users: Iterable[tuple[str, str]]) -> TrustedProxy:
        """Raises ValueError for what is no address and no block."""
        return cls(header.lower().encode("latin-1"), Proxies.of(addresses), dict(users))

    def identity(self, scope: Scope) -> Identity | None:
        """Whom the proxy names; None for another peer, another name, or a header that is there twice."""
        named = [value for name, value in scope["headers"] if name == self.header]
        if len(named) != 1 or not self.proxies.have_sent(scope):
            return None
        user = named[0].decode("utf-8", "replace")
        role = self.users.get(user)
        return None if role is None else Identity(user, role)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope["headers"] if header == name]
