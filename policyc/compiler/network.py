"""``server`` and ``network`` of a bundle, and where a sandbox lets a hook connect."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from policyc.compiler.secrets import credential_without_variable
from policyc.source.diagnostics import JsonPath
from policyc.source.findings import Findings
from policyc.source.nodes import Document

_HOST = r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)"
_DOMAIN = re.compile(rf"\*|(\*\.)?({_HOST}\.)*{_HOST}\Z")
_LOCAL_NAMES = (".localhost", ".local", ".internal")


def lower_network(root: dict[str, Any], document: Document, findings: Findings) -> dict[str, Any] | None:
    """``network`` of data.json: None where the bundle does not restrict the network."""
    if "network" not in root:
        return None
    allowlist = []
    for number, entry in enumerate(root["network"]["allowlist"]):
        at = ("network", "allowlist", number)
        _check_domain(entry["domain"], (*at, "domain"), document, findings)
        transform = entry.get("transform", {})
        for header, value in transform.items():
            _check_transform(header, value, (*at, "transform", header), document, findings)
        allowlist.append({"domain": entry["domain"], **({"transform": dict(transform)} if transform else {})})
    return {"allowlist": allowlist}


def _check_domain(domain: str, at: JsonPath, document: Document, findings: Findings) -> None:
    if not is_domain(domain):
        host = _host_in(domain)
        hint = f"write `{host}`" if host else "a host, `*.example.com`, or `*`"
        findings.add("bad_domain", document.place_of(at), at, f"`{domain}` is not a domain", hint)


def is_domain(text: str) -> bool:
    """Whether ``text`` is a domain of an allowlist: a host, ``*.example.com`` or ``*``."""
    return _DOMAIN.fullmatch(text) is not None


def _host_in(text: str) -> str | None:
    """The host in something that was meant as one: a URL, or a host with a port or a path."""
    host = url_host(text if "://" in text else f"https://{text}")
    return host if host and is_domain(host) else None


def _check_transform(header: str, value: str, at: JsonPath, document: Document, findings: Findings) -> None:
    if credential_without_variable(header, value):
        message = f"the header `{header}` has a credential in it"
        hint = "name it by environment variable: ${TOKEN}"
        findings.add("secret_in_source", document.place_of(at), at, message, hint)


def check_server(root: dict[str, Any], document: Document, findings: Findings) -> None:
    """The URL of the evaluator, as far as it does not matter who calls it."""
    if "server" in root:
        at = ("server", "url")
        url = root["server"]["url"]
        if check_url(url, at, document, findings) and ("?" in url or "#" in url):
            message = "this is no base for the evaluator's paths: it has a query or a fragment"
            findings.add("bad_url", document.place_of(at), at, message, "end it before `?` and `#`")


def check_url(url: str, at: JsonPath, document: Document, findings: Findings) -> bool:
    """Whether ``url`` is one, without a password in it; reports what is wrong."""
    place = document.place_of(at)
    if "@" in url.partition("://")[2].partition("/")[0]:
        hint = "remove it; the egress proxy adds credentials (network.allowlist)"
        findings.add("secret_in_source", place, at, "this URL has a user name or password in it", hint)
        return False
    if url_host(url) is None:
        findings.add("bad_url", place, at, f"`{url}` is not a URL", "write it as `https://host/path`")
        return False
    return True


def url_host(url: str) -> str | None:
    """The host of an http or https URL in lower case, or None when it is none."""
    if not url.isascii() or not url.isprintable() or " " in url:
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    host = (parts.hostname or "").rstrip(".")
    return host if parts.scheme in ("http", "https") and host else None


def is_blocked_host(host: str) -> bool:
    """Whether ``host`` is loopback or private: the sandbox's egress proxy passes neither."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        # A name without a dot is local; one that ends in a number is an address in another spelling (127.1).
        return "." not in host or host.endswith(_LOCAL_NAMES) or host.rpartition(".")[2].isdigit()
    mapped = getattr(address, "ipv4_mapped", None) or address
    return not mapped.is_global


def is_allowed(host: str, domains: Iterable[str]) -> bool:
    """Whether a domain covers ``host``: itself, ``*``, or ``*.example.com`` for the hosts below it."""
    return any(
        domain == "*"
        or domain.lower() == host
        or (domain.startswith("*.") and host.endswith(domain[1:].lower()))
        for domain in domains
    )
