"""What models cost, as the operator writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Price:
    """One entry of `prices`: cents for a million tokens of models whose name fits the glob `model`."""

    model: str
    input: float
    output: float
    cached_input: float
    """Input that the vendor had kept."""
    cache_write: float
    """Input that the vendor is asked to keep."""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Price:
        """The price of an entry of the right shape; without prices of their own, caches cost as input."""
        same = {"cached_input": entry["input"], "cache_write": entry["input"]}
        return cls(**{**same, **entry})
