"""The APIs that a stand-in speaks, told by their paths."""

from __future__ import annotations

import re
from types import ModuleType

from policyc.stand_in import anthropic_messages, gemini, openai_chat, openai_responses

_PATHS = (
    (re.compile(r"/v1/chat/completions"), openai_chat),
    (re.compile(r"/v1/responses"), openai_responses),
    (re.compile(r"/v1/messages"), anthropic_messages),
    (re.compile(r"/v1(beta)?/models/[^/]+:(stream)?[gG]enerateContent"), gemini),
)


def api_of(path: str) -> ModuleType | None:
    """The module with ``whole``, ``stream``, ``results`` and ``error`` for the API at ``path``."""
    return next((api for pattern, api in _PATHS if pattern.fullmatch(path)), None)
