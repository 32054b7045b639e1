"""IP addresses and CIDR blocks as integers.

The standard ``ipaddress`` costs more to import than a decision may take, so this is the small part we
need; the tests hold it against ``ipaddress``. An IPv4-mapped IPv6 address counts as the IPv4 one.
"""

from __future__ import annotations

_MAPPED = 0xFFFF << 32  # ::ffff:0:0/96, RFC 4291 section 2.5.5.2


class AddressError(ValueError):
    """A CIDR block that cannot be read; the message says why."""


class Network:
    """A block of addresses of one IP version."""

    __slots__ = ("_base", "_shift", "host_bits_set", "text", "version")

    def __init__(self, text: str, version: int, base: int, prefix: int) -> None:
        bits = 32 if version == 4 else 128
        self.text = text
        self.version = version
        self._shift = bits - prefix
        self._base = base >> self._shift
        self.host_bits_set = (self._base << self._shift) != base

    def __contains__(self, address: tuple[int, int]) -> bool:
        version, value = address
        return version == self.version and value >> self._shift == self._base


def parse_address(text: str) -> tuple[int, int] | None:
    """``(version, value)`` of an IP address, or None. A zone (``fe80::1%eth0``) is dropped."""
    address = _parse_ipv4(text)
    if address is not None:
        return 4, address
    head, percent, zone = text.partition("%")
    if percent and not zone:
        return None
    value = _parse_ipv6(head)
    if value is None:
        return None
    if value >> 32 == _MAPPED >> 32:
        return 4, value & 0xFFFFFFFF
    return 6, value


def parse_network(text: str) -> Network:
    """The block written ``10.0.0.0/8`` or ``fc00::/7``; a bare address is a block of one.

    Raises AddressError.
    """
    head, slash, length = text.partition("/")
    mapped = ":" in head
    address = parse_address(head) if "%" not in head else None
    if address is None:
        raise AddressError(f"{head!r} is not an IP address")
    version, value = address
    bits = 128 if mapped else 32
    if not slash:
        prefix = bits
    elif length.isascii() and length.isdigit() and int(length[:4]) <= bits:
        prefix = int(length)
    else:
        raise AddressError(f"the prefix length {length!r} is not a whole number from 0 to {bits}")
    if mapped and version == 4:
        if prefix < 96:
            raise AddressError("a block of IPv4-mapped addresses needs a prefix of 96 or more")
        prefix -= 96
    return Network(text, version, value, prefix)


def _parse_ipv4(text: str) -> int | None:
    parts = text.split(".")
    if len(parts) != 4:
        return None
    value = 0
    for part in parts:
        # A leading zero is octal to some readers and decimal to others, so it is no address at all.
        if not (part.isascii() and part.isdigit()) or len(part) > 3 or (len(part) > 1 and part[0] == "0"):
            return None
        octet = int(part)
        if octet > 255:
            return None
        value = value << 8 | octet
    return value


def _parse_ipv6(text: str) -> int | None:
    if text.count("::") > 1 or ":::" in text:
        return None
    head, compressed, tail = text.partition("::")
    left, right = _groups(head), _groups(tail, last=True) if compressed else []
    if not compressed:
        left = _groups(head, last=True)
    if left is None or right is None:
        return None
    missing = 8 - len(left) - len(right)
    if missing < (1 if compressed else 0) or (not compressed and missing):
        return None
    value = 0
    for group in left + [0] * missing + right:
        value = value << 16 | group
    return value


def _groups(text: str, *, last: bool = False) -> list[int] | None:
    """The 16-bit groups of one side of ``::``; the last side may end in a dotted IPv4 address."""
    if not text:
        return []
    groups: list[int] = []
    parts = text.split(":")
    for position, part in enumerate(parts):
        if last and position == len(parts) - 1 and "." in part:
            embedded = _parse_ipv4(part)
            if embedded is None:
                return None
            groups += [embedded >> 16, embedded & 0xFFFF]
        elif 1 <= len(part) <= 4 and all(char in "0123456789abcdefABCDEF" for char in part):
            groups.append(int(part, 16))
        else:
            return None
    return groups
