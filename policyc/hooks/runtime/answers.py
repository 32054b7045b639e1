"""The decision in a handler's answer."""

from __future__ import annotations

from typing import Final

from policyc.engine.documents import Malformed, parse
from policyc.hooks.runtime.causes import NoSay

#: Bytes of an answer that are kept; a handler that says more has no say.
MAX_ANSWER: Final = 1 << 20


def read_answer(answer: bytes | None) -> str | None:
    """None for ``{"decision":"allow"}``, the reason for ``{"decision":"deny"}``; NoSay for everything else.

    Other keys beside ``decision`` do no harm. A reason that is absent or no text is an empty one.
    """
    document = _document(answer)
    decision = document.get("decision") if isinstance(document, dict) else None
    if decision == "allow":
        return None
    if decision != "deny" or not isinstance(document, dict):
        raise NoSay("answer_unrecognised")
    reason = document.get("reason")
    return reason if isinstance(reason, str) else ""


def _document(answer: bytes | None) -> object:
    if answer is None:
        raise NoSay("answer_too_large")
    if not answer.strip():
        raise NoSay("answer_empty")
    # Many parsers take no byte order mark, and a deny that one of them would not see is none.
    if answer.startswith(b"\xef\xbb\xbf"):
        raise NoSay("answer_not_json", "it starts with a byte order mark")
    try:
        return parse(answer)
    except Malformed as error:
        raise NoSay("answer_not_json", error.message) from None
