"""The operator ``host``: does this URL or address lead to one of these hosts?

An entry is a name (``api.example.com``), all names below one (``*.example.com``, not ``example.com``), ``*``
for every host, an address or a CIDR block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from policyc.engine.addresses import AddressError, Network, parse_address, parse_network
from policyc.engine.host_names import Host, read_host, read_name
from policyc.engine.loose_addresses import ends_in_number, literal
from policyc.engine.model import Call

HostPredicate = Callable[..., "bool | None"]


def check(value: object) -> str | None:
    """What is wrong with an authored entry or list of entries, or None."""
    entries = value if isinstance(value, list) else [value]
    if not entries:
        return "needs at least one host"
    for entry in entries:
        if not isinstance(entry, str):
            return "needs a host or a list of them"
        problem = _problem(entry)
        if problem is not None:
            return f"{entry!r}: {problem}"
    return None


def compile(value: object) -> HostPredicate:
    """``predicate(argument, every=False, resolved=())``: True, False, or None for an unreadable host.

    A host may have several addresses: several readings of its spelling, an IPv4 address inside an IPv6 one,
    and ``resolved``, what the caller looked up. One of them in a block is enough, as a rule that stops calls
    needs it; with ``every`` all have to be, as a rule that lets calls pass needs it. A name without known
    addresses is in no block.
    """
    hosts = HostSet([str(entry) for entry in (value if isinstance(value, list) else [value])])

    def predicate(argument: object, every: bool = False, resolved: Iterable[str] = ()) -> bool | None:
        if not isinstance(argument, str):
            return False
        host = read_host(argument)
        return None if host is None else hosts.covers(with_resolved(host, resolved), every, unresolved=False)

    return predicate


def judge(value: object) -> Callable[[object, Call, str], bool | None]:
    """``judge(argument, call, match)`` of a URL, a host or an address."""
    predicate = compile(value)
    return lambda argument, _call, match: predicate(argument, match == "all")


def with_resolved(host: Host, resolved: Iterable[str]) -> Host:
    """``host`` with the addresses that its name resolved to; what is no address is left out."""
    found = [address for text in resolved for address in literal(text)]
    return Host(host.name, (*host.addresses, *found)) if found else host


class HostSet:
    """Checked entries, made ready for many hosts."""

    __slots__ = ("_all", "_names", "_networks", "_suffixes")

    def __init__(self, entries: Iterable[str]) -> None:
        self._all = False
        self._names: set[str | None] = set()
        self._suffixes: tuple[str, ...] = ()
        self._networks: list[Network] = []
        for entry in entries:
            self._add(entry)

    def _add(self, entry: str) -> None:
        if entry == "*":
            self._all = True
        elif _is_block(entry):
            self._networks.append(parse_network(entry))
        else:
            below = entry.startswith("*.")
            name = read_name(entry[2:] if below else entry) or ""
            if below and name:
                self._suffixes += ("." + name,)
            else:
                self._names.add(name)

    def names(self, host: Host) -> bool:
        """Whether an entry is the very name of ``host``."""
        return host.name in self._names

    def covers(self, host: Host, every: bool, unresolved: bool | None) -> bool | None:
        """Whether an entry covers ``host``, by one of its addresses or by ``every`` one. ``unresolved`` is
        the answer for a name without known addresses where there are blocks."""
        if self._all or (
            host.name is not None and (host.name in self._names or host.name.endswith(self._suffixes))
        ):
            return True
        if not self._networks:
            return False
        if not host.addresses:
            return unresolved
        inside = (any(address in network for network in self._networks) for address in host.addresses)
        return all(inside) if every else any(inside)


def _is_block(entry: str) -> bool:
    return "/" in entry or parse_address(entry) is not None


def _problem(entry: str) -> str | None:
    if entry == "*":
        return None
    if "://" in entry or entry.startswith("//"):
        return "write the host alone, not a URL"
    if _is_block(entry):
        try:
            parse_network(entry)
        except AddressError as error:
            return str(error)
        return None
    name = entry[2:] if entry.startswith("*.") else entry
    if "*" in name:
        return "a star stands only for all of the names below one: *.example.com"
    if name.startswith("["):
        return "write an IPv6 address without brackets"
    if ":" in name:
        return "write the host without a port"
    read = read_name(name)
    if read is None:
        return "is not a host name, an address or a CIDR block"
    return "write an IPv4 address as four decimal numbers" if ends_in_number(read) else None
