"""What a test file says, as data: cases, each a few steps on a run of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policyc.engine.model import Call

#: What is expected of a decision: key -> value, of the keys in ``differences.py``.
Expected = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Ask:
    """A call, the ``document`` it was read from, what its decision is expected to say, and the line it is
    written on."""

    call: Call
    document: Mapping[str, object]
    expected: Expected
    line: int


@dataclass(frozen=True, slots=True)
class Wait:
    """The clock moves on."""

    microseconds: int


@dataclass(frozen=True, slots=True)
class Settle:
    """A person approves or denies the last hold."""

    approve: bool
    line: int


Step = Ask | Wait | Settle


@dataclass(frozen=True, slots=True)
class Case:
    """One test, or one ``row`` (from 1) of a table. ``path`` is the file's, relative to its bundle.

    ``policy`` decides where it is given, else the one that governs the agent. The clock starts at ``now``,
    microseconds since the epoch.
    """

    path: str
    line: int
    name: str
    row: int | None
    policy: str | None
    now: int
    steps: tuple[Step, ...]

    @property
    def title(self) -> str:
        """The name that reports give: unique in the file."""
        return self.name if self.row is None else f"{self.name} [{self.row}]"

    @property
    def asks(self) -> tuple[Ask, ...]:
        return tuple(step for step in self.steps if isinstance(step, Ask))
