"""Values as text that is the same for equal values and no others."""

from __future__ import annotations

import json


def canonical(value: object) -> bytes:
    """``value`` as JSON that is the same for equal values and no others: sorted keys, no blanks, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
