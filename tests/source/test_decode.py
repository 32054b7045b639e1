"""Positions of bytes and characters that are refused."""

from __future__ import annotations

import pytest

from policyc.source.decode import decode
from policyc.source.findings import Findings


def place(data: bytes) -> tuple[str, int, int]:
    findings = Findings("a.yaml")
    assert decode(data, findings) is None
    [found] = findings.diagnostics
    return found.code, found.line, found.column


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff", ("not_utf8", 1, 1)),
        (b"a\nb\xc3(", ("not_utf8", 2, 2)),
        ("é\nüü".encode() + b"\xe9", ("not_utf8", 2, 3)),
        (b"\xef\xbb\xbfab\xff", ("not_utf8", 1, 3)),
        (b"\xef\xbb\xbf\nab\xff", ("not_utf8", 2, 3)),
        (b"a\n\x07", ("control_character", 2, 1)),
        ("a\u2028b".encode(), ("control_character", 1, 2)),
        ("a\x85b".encode(), ("control_character", 1, 2)),
        ("a\ufeffb".encode(), ("control_character", 1, 2)),
        ("a\n#\u202eb".encode(), ("text_direction", 2, 2)),
    ],
)
def test_the_place_is_that_of_the_first_offender(data: bytes, expected: tuple[str, int, int]) -> None:
    assert place(data) == expected


@pytest.mark.parametrize("text", ["", "a\tb\r\nc", "日本語 é 😀", "a\u200db", "\u200fשלום"])
def test_text_is_text(text: str) -> None:
    findings = Findings("a.yaml")
    assert decode(text.encode(), findings) == text
    assert decode(b"\xef\xbb\xbf" + text.encode(), findings) == text
    assert findings.diagnostics == ()
