"""The signature of webhooks and of their callbacks: HMAC-SHA-256 over the time and the body."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

TIMESTAMP = "X-Policyc-Timestamp"
SIGNATURE = "X-Policyc-Signature"
#: Seconds that a signature is good for, either way: clocks differ.
WINDOW = 300


def signed_headers(secret: str, body: bytes, now: float) -> dict[str, str]:
    """The headers that go with ``body``."""
    timestamp = str(int(now))
    return {TIMESTAMP: timestamp, SIGNATURE: _signature(secret, timestamp, body)}


def problem(headers: Mapping[str, str], secret: str, body: bytes, now: float) -> str | None:
    """Why ``body`` is not from somebody who knows the secret, and now; None where it is."""
    timestamp, signature = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return f"{TIMESTAMP} is not the time in seconds since 1970"
    expected = _signature(secret, timestamp, body)
    if not hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")):
        return f"{SIGNATURE} is not the one of this body, time and secret"
    if abs(now - int(timestamp)) > WINDOW:
        return f"{TIMESTAMP} is more than {WINDOW} seconds off"
    return None


def _signature(secret: str, timestamp: str, body: bytes) -> str:
    signed = timestamp.encode("ascii") + b"." + body
    return "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
