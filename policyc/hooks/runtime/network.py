"""Where HTTP hooks may connect, and the headers that the egress proxy adds on the way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from policyc.compiler.network import is_allowed, is_domain
from policyc.compiler.secrets import fill_variables, variables
from policyc.hooks.errors import HooksError
from policyc.hooks.runtime.hooks_file import load_document

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 section 5.6.2, token
_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
#: Shorter values are no secrets, and would be hidden in every second word.
_SECRET_LENGTH: Final = 4


@dataclass(frozen=True)
class Network:
    """``network`` of an environment. Without an allowlist no host is allowed.

    ``transforms``: headers by the domain that they are for, secrets filled in; ``variables`` are the names of
    the environment variables that they came from. Never shown, also not by ``repr``.
    """

    domains: tuple[str, ...] = ()
    transforms: tuple[tuple[str, Mapping[str, str]], ...] = field(default=(), repr=False)
    variables: frozenset[str] = frozenset()

    def allows(self, host: str) -> bool:
        """Whether ``network.allowlist`` covers ``host`` (lower case, no trailing dot)."""
        return is_allowed(host, self.domains)

    def headers(self, host: str) -> dict[str, str]:
        """What the proxy adds for ``host``, by lower-case name. Every entry that covers the host counts;
        where two set the same header, the more exact domain does."""
        found: dict[str, str] = {}
        for domain, headers in sorted(self.transforms, key=lambda entry: _exactness(entry[0])):
            if is_allowed(host, [domain]):
                found |= {name.lower(): value for name, value in headers.items()}
        return found

    def redacted(self, text: str) -> str:
        """``text`` without the values of the transforms: a server or a script may echo them."""
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        return text

    @property
    def _secrets(self) -> list[str]:
        values = [value for _domain, headers in self.transforms for value in headers.values()]
        credentials = [value.partition(" ")[2] for value in values]  # what follows `Bearer`
        return [secret for secret in values + credentials if len(secret) >= _SECRET_LENGTH]


def load_network(path: Path, env: Mapping[str, str]) -> Network:
    """The network at ``path``; see ``read_network``. Raises HooksError."""
    return read_network(load_document(path, "network_invalid"), env)


def read_network(document: object, env: Mapping[str, str]) -> Network:
    """A ``network`` object, or an object that has one: an environment, the data of a bundle.

    ``${NAME}`` in a transform is filled in from ``env``. Raises HooksError, which never has a header's value.
    """
    network = document.get("network", document) if isinstance(document, dict) else document
    entries = network.get("allowlist") if isinstance(network, dict) else None
    if not isinstance(entries, list):
        raise _invalid("there is no list network.allowlist")
    domains = [_domain(entry, number) for number, entry in enumerate(entries)]
    transforms = [_transform(entry, number, env) for number, entry in enumerate(entries)]
    named = {
        name
        for entry in entries
        for value in entry.get("transform", {}).values()
        for name in variables(value)
    }
    return Network(tuple(domains), tuple(zip(domains, transforms, strict=True)), frozenset(named))


def is_header(name: str, value: str) -> bool:
    """Whether a header can be sent: no line break starts another one."""
    return bool(_NAME.fullmatch(name) and _VALUE.fullmatch(value))


def _exactness(domain: str) -> tuple[bool, int]:
    return not domain.startswith("*"), len(domain)


def _domain(entry: object, number: int) -> str:
    domain = entry.get("domain") if isinstance(entry, dict) else None
    if not isinstance(domain, str) or not is_domain(domain):
        raise _invalid(f"network.allowlist[{number}].domain is not a host, `*.example.com` or `*`")
    return domain


def _transform(entry: Mapping[str, Any], number: int, env: Mapping[str, str]) -> dict[str, str]:
    transform = entry.get("transform", {})
    if not isinstance(transform, dict):
        raise _invalid(f"network.allowlist[{number}].transform is not an object")
    return {
        name: _value(name, value, f"network.allowlist[{number}].transform.{name}", env)
        for name, value in transform.items()
    }


def _value(name: str, value: object, place: str, env: Mapping[str, str]) -> str:
    if not isinstance(value, str):
        raise _invalid(f"{place} is not a string")
    try:
        filled = fill_variables(value, env)
    except KeyError as error:
        raise _invalid(f"{place} needs the environment variable {error.args[0]}, which is not set") from None
    if not is_header(name, filled):
        raise _invalid(f"{place} is not a header of printable ASCII")
    return filled


def _invalid(message: str) -> HooksError:
    return HooksError("network_invalid", message)
