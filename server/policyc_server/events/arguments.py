"""What is kept of a call's arguments: a fingerprint that proves equality, and a masked summary."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence

from policyc.engine.model import Call
from policyc.runs.canonical import canonical
from policyc_server.events.masking import MaskPath, mask_call

#: Characters of one string, and of a whole summary, in what is kept.
LONGEST_TEXT = 300
LONGEST_SUMMARY = 4_000


def fingerprint(secret: bytes, value: object) -> str:
    """HMAC-SHA-256 of the canonical value, in hex: equal for equal values, and no help in guessing them."""
    return hmac.new(secret, canonical(value), hashlib.sha256).hexdigest()


def summary(call: Call, masks: Sequence[MaskPath]) -> str:
    """The arguments as JSON text for people: masked first, then long strings and the whole cut short."""
    text = json.dumps(_shortened(mask_call(call, masks)), ensure_ascii=True)
    return text if len(text) <= LONGEST_SUMMARY else json.dumps(text[:LONGEST_SUMMARY] + "…")


def _shortened(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]}… ({len(value)} characters)"
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if isinstance(value, dict):
        return {str(_shortened(key)): _shortened(item) for key, item in value.items()}
    return value
