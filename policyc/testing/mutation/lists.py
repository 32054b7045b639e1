"""A list of alternatives with one of them left out, and the list of that one alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

#: What was done, the value after it, and a value for which calls tell the two apart (None: there is none).
Change = tuple[str, Any, Any]


def without_each(items: Sequence[Any], key: str) -> Iterator[Change]:
    """Each alternative left out of several. One that takes away (``!x``) is what calls are then about."""
    for place, item in enumerate(items):
        rest = [*items[:place], *items[place + 1 :]]
        if rest and any(not _takes_away(other) for other in rest):
            yield f"{item!r} taken out of {key}", rest, [item[1:]] if _takes_away(item) else [item]


def _takes_away(item: object) -> bool:
    return isinstance(item, str) and item[:1] == "!" and len(item) > 1
