"""Bytes to text: UTF-8 only, and nothing in it that a reviewer cannot see."""

from __future__ import annotations

import codecs
import re

from policyc.source.diagnostics import Place
from policyc.source.findings import Findings

_UTF16_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
# Not printable by YAML 1.2 (5.1), plus the Unicode line breaks: editors, YAML 1.1 and YAML 1.2 disagree on
# whether they start a line, so positions and folded text would differ between readers.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
# Text that reads differently from how it is evaluated: https://trojansource.codes (CVE-2021-42574).
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")


def decode(data: bytes, findings: Findings) -> str | None:
    """The text of ``data`` without a byte order mark, or None when that was reported."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # With a BOM, ``utf-8-sig`` counts from behind it.
        start = error.start + (len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
        utf16 = data.startswith(_UTF16_32)
        hint = (
            "this looks like UTF-16 or UTF-32: save the file as UTF-8" if utf16 else "save the file as UTF-8"
        )
        findings.add(
            "not_utf8", _place_of_byte(data, start), (), f"byte 0x{data[start]:02x} is not UTF-8", hint
        )
        return None
    for pattern, code, what in _REFUSED:
        found = pattern.search(text)
        if found is not None:
            message = f"{what} U+{ord(found[0]):04X} in the text"
            hint = (
                f'if it is meant, write it as an escape in a double-quoted string: "\\u{ord(found[0]):04x}"'
            )
            if found[0] == "\0" == text[1:2]:
                hint = "this looks like UTF-16: save the file as UTF-8"
            findings.add(code, place_of_offset(text, found.start()), (), message, hint)
            return None
    return text


_REFUSED = (
    (_CONTROL, "control_character", "control character"),
    (_DIRECTION, "text_direction", "text direction character"),
)


def place_of_offset(text: str, offset: int) -> Place:
    """Line and column of the character at ``offset``."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _place_of_byte(data: bytes, offset: int) -> Place:
    line_start = data.rfind(b"\n", 0, offset) + 1
    before = data[line_start:offset].decode("utf-8-sig", "replace")
    return data.count(b"\n", 0, offset) + 1, len(before) + 1
