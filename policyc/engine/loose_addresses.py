"""IP addresses as the resolvers of this world take them, far beyond what ``addresses`` accepts.

A spelling that two of them read differently gives both readings, and an IPv6 address that a gateway turns
into an IPv4 one gives that too.
"""

from __future__ import annotations

from policyc.engine.addresses import parse_address
from policyc.engine.patterns import lazy_pattern

Address = tuple[int, int]

_NUMBER = lazy_pattern(r"0[xX][0-9a-fA-F]*|[0-9]+")
_LOOPBACK: tuple[Address, ...] = ((4, 0x7F000001), (6, 1))
#: Linux and macOS connect 0.0.0.0 and :: to the machine itself.
_UNSPECIFIED: dict[Address, Address] = {(4, 0): (4, 0x7F000001), (6, 0): (6, 1)}
_LOOPBACK_NAMES = frozenset(
    ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback", "localhost6")
)


def ends_in_number(name: str) -> bool:
    """Whether a host must be an IPv4 address: https://url.spec.whatwg.org/#ends-in-a-number-checker."""
    return _NUMBER.fullmatch(name.rpartition(".")[2]) is not None


def ipv4_readings(name: str) -> tuple[Address, ...]:
    """What ``name`` is as one to four decimal, octal or hexadecimal numbers; none when it is no address.

    ``0177.0.0.1`` is 127.0.0.1 to inet_aton(3) and 177.0.0.1 to readers that skip zeros.
    """
    parts = name.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) and len(part) <= 16 for part in parts):
        return ()
    found = dict.fromkeys(
        (_ipv4([_as_c(part) for part in parts]), _ipv4([_as_decimal(part) for part in parts]))
    )
    return tuple((4, value) for value in found if value is not None)


def _as_c(part: str) -> int | None:
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    if part[0] == "0":
        return None if "8" in part or "9" in part else int(part, 8)
    return int(part)


def _as_decimal(part: str) -> int | None:
    return _as_c(part) if part[:2] in ("0x", "0X") else int(part)


def _ipv4(numbers: list[int | None]) -> int | None:
    """The last number fills the bytes that are left."""
    value = 0
    for position, number in enumerate(numbers):
        last = position == len(numbers) - 1
        width = 8 * (4 - position) if last else 8
        if number is None or number >> width:
            return None
        value = value << width | number
    return value


def with_embedded(address: Address) -> tuple[Address, ...]:
    """``address``, and where its packets may end up: the IPv4 address inside, the machine itself."""
    version, value = address
    found = [address]
    if version == 6 and value > 1:
        inner = _embedded(value)
        found += [] if inner is None else [(4, inner)]
    return tuple(found + [_UNSPECIFIED[one] for one in found if one in _UNSPECIFIED])


def _embedded(value: int) -> int | None:
    low = value & 0xFFFFFFFF
    if value >> 32 == 0:  # IPv4-compatible, RFC 4291 section 2.5.5.1
        return low
    if value >> 32 == 0xFFFF << 16:  # IPv4-translated ::ffff:0:a.b.c.d, RFC 2765
        return low
    if value >> 32 == 0x64FF9B << 64 or value >> 80 == 0x64FF9B0001:  # NAT64, RFC 6052 and RFC 8215
        return low
    if value >> 112 == 0x2002:  # 6to4, RFC 3056
        return value >> 80 & 0xFFFFFFFF
    if value >> 96 == 0x20010000:  # Teredo, RFC 4380: the client, inverted
        return low ^ 0xFFFFFFFF
    if value >> 32 & 0xFCFFFFFF == 0x5EFE:  # ISATAP, RFC 5214
        return low
    return None


def known_addresses(name: str) -> tuple[Address, ...]:
    """The addresses a name has everywhere: RFC 6761 section 6.3."""
    return _LOOPBACK if name in _LOOPBACK_NAMES or name.endswith(".localhost") else ()


def literal(text: str) -> tuple[Address, ...]:
    """The readings of an address as a resolver hands it out; none when it is no address."""
    address = parse_address(text)
    return () if address is None else with_embedded(address)
