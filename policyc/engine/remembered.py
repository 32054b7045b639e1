"""Answers of a function, kept: ``functools.lru_cache`` without ``functools``, whose own imports cost a hook
process more than most decisions."""

from __future__ import annotations

__all__ = ["remembered"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from functools import lru_cache as remembered
else:
    try:
        from _functools import _lru_cache_wrapper
    except ImportError:  # an interpreter without the C part
        from functools import _lru_cache_wrapper

    def remembered(size):
        """A decorator that keeps the last ``size`` answers."""
        return lambda function: _lru_cache_wrapper(function, size, False, tuple)
