"""Tokens of a Gemini answer."""

from __future__ import annotations

from policyc_server.gateway.vendors.gemini_names import value_of
from policyc_server.gateway.vendors.shapes import count
from policyc_server.gateway.vendors.vendor import Document, Usage


def usage_of(answer: Document) -> Usage | None:
    """What the answer says it took, so far where it is streamed; None where it says nothing."""
    usage = value_of(answer, "usage_metadata")
    if not isinstance(usage, dict):
        return None

    def tokens(name: str) -> int:
        return count(value_of(usage, f"{name}_token_count"))

    cached = tokens("cached_content")
    fresh = max(0, tokens("prompt") - cached) + tokens("tool_use_prompt")
    return Usage(fresh, tokens("candidates") + tokens("thoughts"), cached)
