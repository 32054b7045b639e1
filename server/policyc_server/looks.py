"""Looks at the source of the policy that somebody asked for, between those that happen anyway."""

from __future__ import annotations

from collections.abc import Callable


class Looks:
    """Any thread asks; the one that looks says when it begins and when it is done. ``wake`` wakes it."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._asked = 0
        self._begun = 0
        self._done = 0

    def ask(self) -> int:
        """A number to wait for: the look that answers it begins after this."""
        self._asked += 1
        self._wake()
        return self._asked

    @property
    def is_asked(self) -> bool:
        """Whether somebody waits for a look."""
        return self._done < self._asked

    def begin(self) -> None:
        self._begun = self._asked

    def end(self) -> None:
        self._done = self._begun

    def is_over(self, number: int) -> bool:
        return self._done >= number
