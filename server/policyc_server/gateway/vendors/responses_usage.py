"""Tokens of an answer of OpenAI responses."""

from __future__ import annotations

from policyc_server.gateway.vendors.shapes import count
from policyc_server.gateway.vendors.vendor import Document, Usage


def usage_of(answer: Document) -> Usage | None:
    """What the answer says it took; None where it says nothing."""
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return None
    details = usage.get("input_tokens_details")
    kept = details if isinstance(details, dict) else {}
    cached, written = count(kept.get("cached_tokens")), count(kept.get("cache_write_tokens"))
    fresh = max(0, count(usage.get("input_tokens")) - cached - written)
    return Usage(fresh, count(usage.get("output_tokens")), cached, written)
