"""Diagnostics as text for people and as JSON for programs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from policyc.source.diagnostics import Diagnostic

#: Columns of source shown around the place.
_WIDTH = 100
_TAB = "    "
_LINE_END = re.compile("\r\n|\n|\r")


def render_text(diagnostics: Iterable[Diagnostic], sources: Mapping[str, bytes]) -> str:
    """Each as ``path:line:col: error[code]: message``, with its source line, a caret and the hint."""
    lines: dict[str, list[str]] = {}
    blocks = []
    for found in diagnostics:
        if found.path not in lines:
            text = sources.get(found.path, b"").decode("utf-8-sig", "replace")
            lines[found.path] = _LINE_END.split(text)
        blocks.append(_block(found, lines[found.path]))
    return "".join(blocks)


def render_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Each as JSON data."""
    return [found.document() for found in diagnostics]


def headline(found: Diagnostic) -> str:
    """``path:line:col: error[code]: message`` on one line, whatever is in the message."""
    text = f"{found.path}:{found.line}:{found.column}: {found.severity}[{found.code}]: {found.message}"
    return visible(text.replace("\t", " "))


def _block(found: Diagnostic, lines: list[str]) -> str:
    block = headline(found) + "\n"
    line = lines[found.line - 1] if found.line <= len(lines) else ""
    # A credential that was refused must not be repeated in a log.
    if line.strip() and found.code != "secret_in_source":
        shown, caret = _excerpt(line, found.column)
        gutter = str(found.line)
        block += f"  {gutter} | {shown}\n  {' ' * len(gutter)} | {caret}\n"
    if found.hint:
        block += f"  help: {visible(found.hint)}\n"
    return block


def _excerpt(line: str, column: int) -> tuple[str, str]:
    """The part of ``line`` around ``column`` and the caret under it, for a fixed-width font."""
    at = min(column - 1, len(line))
    start = max(0, at - _WIDTH // 2) if len(line) > _WIDTH else 0
    end = min(len(line), start + _WIDTH)
    before = visible(line[start:at].replace("\t", _TAB))
    after = visible(line[at:end].replace("\t", _TAB))
    head, tail = "..." if start else "", "..." if end < len(line) else ""
    return f"{head}{before}{after}{tail}".rstrip(), " " * (len(head) + _columns(before)) + "^"


def visible(text: str) -> str:
    """``text`` with everything that a terminal would not show as a character written as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == " " else _escape(char) for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def _columns(text: str) -> int:
    """How many columns a terminal gives ``text``: wide characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(_char_columns(char) for char in text)


def _char_columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
