"""JSON-like values that remember where they were written.

A document is plain data (``dict``, ``list``, ``str``, ``int``, ``float``, ``bool``, ``None``) so that every
check can treat it as such; the containers carry the places of what they hold.
"""

from __future__ import annotations

from typing import Any

from policyc.source.diagnostics import JsonPath, Place


class MappingNode(dict[str, Any]):
    """An object with the places of its keys and values."""

    __slots__ = ("key_places", "place", "value_places")

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.key_places: dict[str, Place] = {}
        self.value_places: dict[str, Place] = {}


class SequenceNode(list[Any]):
    """An array with the places of its items."""

    __slots__ = ("item_places", "place")

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.item_places: list[Place] = []


class Document:
    """A file that could be read: its root value and where that starts."""

    __slots__ = ("place", "root")

    def __init__(self, root: Any, place: Place) -> None:
        self.root = root
        self.place = place

    def place_of(self, at: JsonPath, *, key: bool = False) -> Place:
        """Where the value at ``at`` (or its key) is written; if absent, what it would be in."""
        place, value = self.place, self.root
        for number, step in enumerate(at, 1):
            if isinstance(value, MappingNode) and step in value:
                places = value.key_places if key and number == len(at) else value.value_places
                place, value = places[step], value[step]  # type: ignore[index]
            elif isinstance(value, SequenceNode) and isinstance(step, int) and step < len(value):
                place, value = value.item_places[step], value[step]
            else:
                return place
        return place


def plain(value: Any) -> Any:
    """``value`` without the places it was written at, as a JSON parser would give it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value
