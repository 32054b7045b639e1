"""What surrounds a hook in one situation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Around:
    """``event`` is what the agent writes, and with ``endless`` it never closes it. ``env`` is added to the
    environment. ``evaluator``: the port on loopback that stands for the evaluator, None: it is left out."""

    event: bytes
    endless: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
    evaluator: int | None = None

    @property
    def no_network(self) -> dict[str, str]:
        """Variables that lead a gate's question to ``evaluator`` as its proxy, else to nobody."""
        proxy = f"http://127.0.0.1:{self.evaluator or 1}"
        return {"https_proxy": proxy, "HTTPS_PROXY": proxy, "no_proxy": "", "NO_PROXY": ""}
