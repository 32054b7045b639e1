"""Counters in memory: of one run that is tried out, where the server has a store."""

from __future__ import annotations

from collections.abc import Sequence

from policyc.runs.counting import Addition, Advance


class MemoryCounters:
    """As the server's ``CounterStore``, for one caller at a time."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, int], tuple[int, int]] = {}
        self._starts: dict[str, dict[int, int]] = {}

    def count(
        self, additions: Sequence[Addition], advances: Sequence[Advance], now: int
    ) -> tuple[list[int], list[int]]:
        """What each counter says now, and the furthest step of each sequence that this call completes."""
        numbers = {(one.scope, one.window): self._add(one, now) for one in dict.fromkeys(additions)}
        taken = [self._advance(one, now) for one in advances]
        return [numbers[one.scope, one.window] for one in additions], taken

    def _add(self, addition: Addition, now: int) -> int:
        key = (addition.scope, addition.window)
        count, expires_at = self._counts.get(key, (0, 0))
        count = addition.amount + (count if expires_at > now else 0)
        self._counts[key] = (count, addition.expires_at)
        return count

    def _advance(self, advance: Advance, now: int) -> int:
        # The counter of a sequence says how many calls were steps: one that expired begins anew.
        is_new = self._add(Addition(advance.scope, 0, 1, advance.expires_at), now) == 1
        starts = {} if is_new else self._starts.get(advance.scope, {})
        furthest, changed = advance.taken(starts, now)
        self._starts[advance.scope] = starts | changed
        return furthest
