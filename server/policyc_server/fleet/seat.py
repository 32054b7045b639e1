"""A worker's place in its group."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from policyc_server.fleet.board import Board


@dataclass(frozen=True)
class Seat:
    """What the parent gives a worker: its number from 0, what the group shares, and the folder with the
    record of served versions, which the parent holds for all of them."""

    number: int
    board: Board
    record: Path
