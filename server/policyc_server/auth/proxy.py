"""People that a proxy in front has made sure of: their name in a header, from the proxy's address alone."""

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
class TrustedProxy:
    """``header`` is believed where it comes from one of ``networks``; ``users`` maps names to roles."""

    header: bytes
    networks: tuple[_Network, ...]
    users: dict[str, str]

    @classmethod
    def of(cls, header: str, addresses: Iterable[str], users: Iterable[tuple[str, str]]) -> TrustedProxy:
        """Raises ValueError for what is no address and no block."""
        networks = tuple(ipaddress.ip_network(address) for address in addresses)
        return cls(header.lower().encode("latin-1"), networks, dict(users))

    def identity(self, scope: Scope) -> Identity | None:
        """Whom the proxy names; None for another peer, another name, or a header that is there twice."""
        named = [value for name, value in scope["headers"] if name == self.header]
        if len(named) != 1 or not self._is_proxy(scope):
            return None
        user = named[0].decode("utf-8", "replace")
        role = self.users.get(user)
        return None if role is None else Identity(user, role)

    def _is_proxy(self, scope: Scope) -> bool:
        client = scope.get("client")
        try:
            peer = ipaddress.ip_address(client[0]) if client else None
        except ValueError:
            return False
        if isinstance(peer, ipaddress.IPv6Address) and peer.ipv4_mapped is not None:
            peer = peer.ipv4_mapped
        return peer is not None and any(
            peer in network for network in self.networks if network.version == peer.version
        )
