"""What is examined: hooks on disk with the agent around them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from policyc.engine.dialects.dialect import Dialect
from policyc.hooks.doctor.around import Around
from policyc.hooks.doctor.rows import Seen
from policyc.hooks.target import Samples


class Subject(Protocol):
    """``gate`` is the folder of the gate and its plan. ``own_events``: the hook makes its events itself, so
    none can be damaged. ``asks``: an evaluator is asked as well, ``asks_by_command`` by a command that is run
    here, otherwise by the agent itself."""

    name: str
    dialect: Dialect
    samples: Samples
    gate: Path
    own_events: bool
    asks: bool
    asks_by_command: bool

    def see(self, around: Around) -> Seen:
        """What becomes of one call."""
        ...
