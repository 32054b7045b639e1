"""Tool-name globs: ``*`` stands for any run of characters, also none; everything else is literal.

``*``, an empty string and an absent glob match every name. No ``?``, no classes. Case-sensitive.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable


def matches(pattern: str, name: str) -> bool:
    """Whether ``pattern`` covers ``name``, in time linear in both."""
    if not pattern:
        return True
    head, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    tail = rest.pop()
    if len(name) < len(head) + len(tail) or not name.startswith(head) or not name.endswith(tail):
        return False
    # The leftmost place for each piece leaves the most room for the next: no backtracking.
    position, end = len(head), len(name) - len(tail)
    for piece in rest:
        found = name.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return True


def matcher(pattern: str) -> Callable[[str], bool]:
    """``matches`` of one pattern that has a ``*``, for many names."""
    head, *rest = pattern.split("*")
    if len(rest) != 1:
        return lambda name: matches(pattern, name)
    tail, shortest = rest[0], len(pattern) - 1
    return lambda name: name.endswith(tail) and name.startswith(head) and len(name) >= shortest
