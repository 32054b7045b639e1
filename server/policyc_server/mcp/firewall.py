"""What every way to an MCP server goes through: the judge of calls, the filter of lists, the pins of both."""

from __future__ import annotations

from dataclasses import dataclass

from policyc_server.approvals.holds import Holds
from policyc_server.decide import Decider
from policyc_server.mcp.judge import Judge
from policyc_server.mcp.listing import Listing
from policyc_server.mcp.pins import NoPins, Pins, StoredPins
from policyc_server.snapshot import Serving
from policyc_server.store.mcp_tools import McpToolStore


@dataclass(frozen=True)
class Firewall:
    """Parts that share one policy and one set of pins."""

    judge: Judge
    listing: Listing
    pins: Pins

    @classmethod
    def of(
        cls,
        decider: Decider,
        holds: Holds | None,
        serving: Serving,
        tools: McpToolStore | None,
        deadline: float,
    ) -> Firewall:
        """``tools`` keeps the pins, None where nothing does; ``deadline``: seconds for one decision."""
        pins: Pins = NoPins() if tools is None else StoredPins(tools)
        return cls(Judge(decider, holds, pins, deadline), Listing(serving, pins), pins)
