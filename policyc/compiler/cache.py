"""Keeps what each file came to, so that a change to one file costs one file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class CompileCache:
    """The last content and result of every path. For one bundle at a time: another one replaces it.

    May be shared between threads: the worst is the same work done twice.
    """

    def __init__(self) -> None:
        self._results: dict[tuple[str, str], tuple[bytes, Any]] = {}

    def get(self, path: str, data: bytes, read: Callable[[str, bytes], T]) -> T:
        """``read(path, data)``, from memory when the same was read before."""
        key = (read.__name__, path)
        known = self._results.get(key)
        if known is not None and known[0] == data:
            result: T = known[1]
            return result
        result = read(path, data)
        self._results[key] = (data, result)
        return result
