"""Lone surrogates: what ``"\\ud800"`` leaves behind, which no UTF-8 can carry."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def has_surrogate(text: str) -> bool:
    """Whether ``text`` has half of a surrogate pair in it."""
    return not text.isascii() and _SURROGATE.search(text) is not None
