"""Patterns of the engine itself, for Python's ``re``: each is compiled when it is first used.

There are about a hundred. A hook process decides one call with a few of them, and compiling the others would
take longer than the decision.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # it takes longer to load than most decisions take
    import re

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """``re.compile(source, flags)``, later; with the methods alone."""
    return _Later(source, flags)  # type: ignore[return-value]


class _Later:
    __slots__ = ("_flags", "_source", *_METHODS)

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        # Called while the slots are empty, once.
        if name not in _METHODS:
            raise AttributeError(name)
        import re

        compiled = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
