"""Names of later versions: refused by name, because a key that is accepted and ignored is a hole in a policy.

Keyed by what the schema calls the place: an object's properties.
"""

from __future__ import annotations

#: A property every object of the kind has -> the keys it will have.
_KEYS = {
    "bundle": frozenset({"meta_tools"}),
}


def is_later_key(key: str, properties: dict[str, object]) -> bool:
    """Whether an object with ``properties`` gets ``key`` in a later version."""
    return any(marker in properties and key in keys for marker, keys in _KEYS.items())
