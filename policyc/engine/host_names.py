"""The host that a URL, a ``host:port`` or an address leads to.

Where readers of URLs disagree about the host, there is no answer: a guess that differs from the tool's own
is how filters are passed (https://url.spec.whatwg.org/, RFC 3986, "A New Era of SSRF", Orange Tsai 2017).
"""

from __future__ import annotations

from policyc.engine.addresses import parse_address
from policyc.engine.file_urls import decode_percent
from policyc.engine.loose_addresses import (
    Address,
    ends_in_number,
    ipv4_readings,
    known_addresses,
    with_embedded,
)
from policyc.engine.patterns import lazy_pattern
from policyc.engine.text import clean

#: Schemes of which every reader knows that a host follows, whatever slashes there are.
_WEB = frozenset(("http", "https", "ws", "wss", "ftp"))
_SCHEME = lazy_pattern(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HOST_PORT = lazy_pattern(r"[^/?#@:]*:[0-9]+(?:[/?#]|\Z)")
_AUTHORITY = lazy_pattern(r"[^/?#]*")
_PORT = lazy_pattern(r"(?::0*([0-9]{0,5}))?")
_NAME = lazy_pattern(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_SPACE = "".join(map(chr, range(0x21)))
#: Forbidden inside: readers drop them, stop at them, or send them on.
_CONTROL = lazy_pattern(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff]")
#: IDNA 2003 and 2008 lead to different hosts for these: RFC 5894 section 7.2.
_DEVIATIONS = frozenset("ßẞς\u200c\u200d")
_MAX = 1024


class Host:
    """``name`` (lower case, punycode, no trailing dot) or None, and every address it is known to lead to."""

    __slots__ = ("addresses", "name")

    def __init__(self, name: str | None, addresses: tuple[Address, ...]) -> None:
        self.name = name
        self.addresses = addresses


def read_host(text: str) -> Host | None:
    """The host in ``text``, or None where there is none or readers disagree. Never raises."""
    text = clean(text).strip(_SPACE)
    authority = _authority(text)
    if len(authority) > _MAX or "\\" in authority or _CONTROL.search(authority):
        return None
    if authority.count("@") > 1:
        return None
    where = authority.rpartition("@")[2]
    if where.startswith("["):
        inside, bracket, port = where[1:].partition("]")
        return _ipv6(inside) if bracket and _is_port(port) else None
    if where.count(":") > 1:
        return _ipv6(where) if where == text else None
    name, colon, port = where.partition(":")
    return _name_or_ipv4(name) if _is_port(colon + port) else None


def _authority(text: str) -> str:
    """``user@host:port`` of a URL, with or without scheme; empty where there is none."""
    scheme = _SCHEME.match(text)
    web = scheme is not None and scheme[1].lower() in _WEB
    if scheme is None or parse_address(text) is not None or (not web and _HOST_PORT.match(text)):
        rest = text[2:] if text.startswith("//") else text
    elif web:
        rest = text[scheme.end() :].lstrip("/")
    else:
        rest = text[scheme.end() + 2 :] if text.startswith("//", scheme.end()) else ""
    found = _AUTHORITY.match(rest)
    return found[0] if found else ""


def _is_port(text: str) -> bool:
    port = _PORT.fullmatch(text)
    return port is not None and int(port[1] or 0) <= 0xFFFF


def _ipv6(text: str) -> Host | None:
    address = parse_address(text.replace("%25", "%", 1)) if ":" in text else None
    return None if address is None else Host(None, with_embedded(address))


def _name_or_ipv4(text: str) -> Host | None:
    name = read_name(decode_percent(text))
    if name is None:
        return None
    if not ends_in_number(name):
        return Host(name, known_addresses(name))
    readings = ipv4_readings(name)
    addresses = tuple(dict.fromkeys(one for reading in readings for one in with_embedded(reading)))
    return Host(None, addresses) if addresses else None


def read_name(text: str) -> str | None:
    """A host name in lower case and punycode without its trailing dot, or None where it is none."""
    name = text.lower() if text.isascii() else _to_ascii(text)
    if name is None:
        return None
    name = name[:-1] if name.endswith(".") else name
    return name if len(name) <= 253 and _NAME.fullmatch(name) else None


def _to_ascii(text: str) -> str | None:
    if len(text) > 253 or _DEVIATIONS.intersection(text):
        return None
    import encodings.idna  # noqa: F401  (stringprep and unicodedata: only for names that need them)

    try:
        return text.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
