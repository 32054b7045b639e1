"""Who calls the tools of an MCP server."""

from __future__ import annotations

from dataclasses import dataclass

from policyc_server.auth.identity import Identity


@dataclass(frozen=True, slots=True)
class Caller:
    """The agent's name where no key gives one, the key, and the session, which is the run of its calls."""

    agent: str | None = None
    identity: Identity | None = None
    session: str | None = None
