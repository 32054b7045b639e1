"""Texts that are IP addresses in some networks and not in others: ``cidr_match``."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from policyc.analysis.budget import Budget
from policyc.analysis.languages import Demand, Language, shortest
from policyc.engine.addresses import parse_address, parse_network

#: The networks of one clause as they are written, and whether a text is to be an address in them.
AddressDemand = tuple[tuple[str, ...], bool]


class Undecided(Exception):
    """A question that is not solved here: the answer is unknown."""


def address_for(demands: Iterable[Demand], addresses: Iterable[AddressDemand], budget: Budget) -> str | None:
    """A text that meets all demands; None where there is none. Raises Undecided and Exhausted.

    Alone, demands for networks are solved as ranges. Beside automata an example of one kind is tried on the
    other, and what that does not settle is not known.
    """
    wanted = list(demands)
    inside = [names for names, wants in addresses if wants]
    outside = [names for names, wants in addresses if not wants]
    if inside:
        return _among(_edges(inside, outside), wanted, outside, exhaustive=not wanted)
    plain = shortest(wanted, budget)
    if plain is None or not _covered(plain, outside):
        return plain
    raise Undecided(f"{plain!r} is an address of a network that is ruled out")


def _among(
    candidates: Iterable[str],
    wanted: list[tuple[Language, bool]],
    outside: list[tuple[str, ...]],
    *,
    exhaustive: bool,
) -> str | None:
    for text in candidates:
        if not _covered(text, outside) and all((text in language) is wants for language, wants in wanted):
            return text
    if exhaustive:
        return None
    raise Undecided("no edge of the networks meets the other clauses on the same value")


def _covered(text: str, networks: Iterable[tuple[str, ...]]) -> bool:
    address = parse_address(text)
    return address is not None and any(address in parse_network(name) for names in networks for name in names)


def _edges(inside: list[tuple[str, ...]], outside: list[tuple[str, ...]]) -> list[str]:
    """The lowest address of every part of the intersection of ``inside`` that ``outside`` leaves."""
    parts: list[tuple[int, int, int]] | None = None
    for names in inside:
        ranges = [_range(name) for name in names]
        parts = (
            ranges if parts is None else [met for one in parts for two in ranges if (met := _meet(one, two))]
        )
    for names in outside:
        for name in names:
            parts = [left for part in parts or () for left in _less(part, _range(name))]
    return [_written(version, low) for version, low, _high in sorted(parts or ())]


def _range(name: str) -> tuple[int, int, int]:
    network = ipaddress.ip_network(name, strict=False)
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is not None:
        network = ipaddress.ip_network(f"{mapped}/{max(network.prefixlen - 96, 0)}", strict=False)
    return network.version, int(network.network_address), int(network.broadcast_address)


def _meet(one: tuple[int, int, int], two: tuple[int, int, int]) -> tuple[int, int, int] | None:
    low, high = max(one[1], two[1]), min(one[2], two[2])
    return (one[0], low, high) if one[0] == two[0] and low <= high else None


def _less(part: tuple[int, int, int], taken: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    if _meet(part, taken) is None:
        return [part]
    version, low, high = part
    rest = ((version, low, taken[1] - 1), (version, taken[2] + 1, high))
    return [left for left in rest if left[1] <= left[2]]


def _written(version: int, value: int) -> str:
    return str(ipaddress.IPv4Address(value) if version == 4 else ipaddress.IPv6Address(value))
