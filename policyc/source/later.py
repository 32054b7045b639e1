"""Names of later versions: refused by name, because a key that is accepted and ignored is a hole in a policy.

Keyed by what the schema calls the place: an object's properties, or the code of an enum.
"""

from __future__ import annotations

from policyc.engine.model import LATER_VERDICTS

_LATER_RULE_KEYS = (
    "shadow",
    "skill_name_glob",
    "cap_cost_cents",
    "rate",
    "sequence",
    "enforce",
    "approval",
    "examples",
)

#: A property every object of the kind has -> the keys it will have.
_KEYS = {
    "verdict": frozenset(_LATER_RULE_KEYS),
    "bundle": frozenset({"mask", "meta_tools"}),
}
_CHOICES = {
    "unknown_verdict": frozenset(LATER_VERDICTS),
}


def is_later_key(key: str, properties: dict[str, object]) -> bool:
    """Whether an object with ``properties`` gets ``key`` in a later version."""
    return any(marker in properties and key in keys for marker, keys in _KEYS.items())


def is_later_choice(value: object, code: str) -> bool:
    """Whether the enum whose violation is ``code`` gets ``value`` in a later version."""
    return isinstance(value, str) and value in _CHOICES.get(code, ())
