"""An MCP server over HTTP behind the policy, as the operator names it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policyc.engine.dialects.tools import FAMILIES

MIB = 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_HEADER = re.compile(r"[A-Za-z0-9-]+")
_OWN = frozenset({"accept", "accept-encoding", "connection", "content-length", "content-type", "host"})
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def name_problem(server: str) -> str | None:
    """Why no server may be called so; None where one may."""
    if server.lower() in FAMILIES:
        families = ", ".join(sorted(FAMILIES))
        return f"a server named {server!r} could pass for built-in tools ({families}): choose another name"
    if not _NAME.fullmatch(server):
        return f"{server!r} is no name of a server: letters, digits, `-` and `_`, 64 at most, no dots"
    return None


def header_fits(name: str) -> bool:
    """Whether every request to a server may carry a header of this name: none that is the protocol's own."""
    lower = name.lower()
    return bool(_HEADER.fullmatch(name)) and lower not in _OWN and not lower.startswith("mcp-")


@dataclass(frozen=True)
class McpServer:
    """One entry of `mcp_servers`. Times are seconds, sizes bytes."""

    name: str
    url: str
    """Its endpoint."""
    headers: tuple[tuple[str, str], ...] = ()
    """What goes with every request to it; `${NAME}` stands for an environment variable."""
    connect_timeout: float = 10.0
    answer_timeout: float = 300.0
    """Until an answer starts."""
    request_limit: int = 4 * MIB
    list_limit: int = 16 * MIB
    """For an answer that may list tools."""

    @classmethod
    def of(cls, name: str, entry: Mapping[str, Any]) -> McpServer:
        """The server of an entry of the right shape."""
        return cls(name, **{**entry, "headers": tuple(entry.get("headers", {}).items())})

    def missing(self) -> Iterator[str]:
        """Variables that `headers` need and the environment does not have."""
        for _, text in self.headers:
            yield from (name for name in _VARIABLE.findall(text) if not os.environ.get(name))

    def sent_headers(self) -> dict[str, str]:
        """`headers` with what the environment has for the variables."""
        return {
            name: _VARIABLE.sub(lambda found: os.environ.get(found[1], ""), text)
            for name, text in self.headers
        }
