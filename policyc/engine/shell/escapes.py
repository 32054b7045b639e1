"""Backslash escapes as ``$'...'``, ``echo -e`` and ``printf`` read them."""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern

_ESCAPE = lazy_pattern(
    r"\\(?:([abeEfnrtv\\'\"?])|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.))",
    re.DOTALL,
)
_NAMED = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


def unescape(text: str) -> str:
    """``text`` with its escapes decoded; an escape that is none stays as it is."""
    return _ESCAPE.sub(_decode, text) if "\\" in text else text


def _decode(match: re.Match[str]) -> str:
    named, hexadecimal, short, long, octal, control = match.groups()
    if named is not None:
        return _NAMED.get(named, named)
    if control is not None:
        return chr(ord(control) & 0x1F)
    code = int(octal, 8) & 0xFF if octal else int(hexadecimal or short or long, 16)
    return chr(code) if code <= 0x10FFFF else ""
