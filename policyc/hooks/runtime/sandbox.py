"""Where handlers run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from policyc.hooks.runtime.network import Network
from policyc.hooks.runtime.wire import Wire


@dataclass(frozen=True)
class Sandbox:
    """``network`` is where HTTP handlers may go, and ``wire`` how; ``cwd`` where commands start (None: where
    this process is), and ``env`` what they inherit (None: what this process has)."""

    network: Network = field(default_factory=Network)
    cwd: Path | None = None
    env: Mapping[str, str] | None = field(default=None, repr=False)
    wire: Wire = field(default_factory=Wire)

    def command_env(self) -> dict[str, str]:
        """What commands inherit: not the secrets of the egress proxy, which are never in the sandbox."""
        env = os.environ if self.env is None else self.env
        return {name: value for name, value in env.items() if name not in self.network.variables}
