"""An LLM API behind the gateway, as the operator names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MIB = 1024 * 1024
#: What `on_denied_tool` may be.
BLOCK = "block"
STRIP = "strip"


@dataclass(frozen=True)
class Upstream:
    """One entry of `upstreams`. Times are seconds, sizes bytes."""

    name: str
    kind: str
    """`openai`, `anthropic` or `gemini`: whose API it speaks."""
    base_url: str
    """What stands before the API's own paths; without a slash at its end."""
    credential_env: str | None = None
    """The environment variable with the API key that goes upstream."""
    passthrough_auth: bool = False
    """Forward the client's own credential; its key for this server comes as `X-Policyc-Key`."""
    on_denied_tool: str = BLOCK
    max_rounds: int = 2
    """How often the model is told of blocked calls and asked again."""
    connect_timeout: float = 10.0
    read_timeout: float = 600.0
    """Between two pieces of an answer, not for all of it."""
    request_limit: int = 32 * MIB
    answer_limit: int = 32 * MIB
    """For an answer that is inspected, unpacked."""

    @classmethod
    def of(cls, name: str, entry: Mapping[str, Any]) -> Upstream:
        """The upstream of an entry of the right shape."""
        return cls(name, **{**entry, "base_url": entry["base_url"].rstrip("/")})
