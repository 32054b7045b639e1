"""Names that follow from file and folder names."""

from __future__ import annotations

import re

#: Characters of a name, as the schemas have it.
LONGEST = 128


def bundle_name(text: str) -> str:
    """``text`` as a name that a bundle can have: ``Payments (2)`` is ``payments__2_``."""
    return re.sub(r"[^a-z0-9_]", "_", text.lower()).lstrip("0123456789_")[:LONGEST] or "bundle"


def policy_name(stem: str) -> str:
    """``stem`` as a name that a policy can have: ``2 payments`` is ``payments``."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", stem).lstrip("0123456789_.-")[:LONGEST] or "policy"
