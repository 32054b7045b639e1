# ruff: noqa: E501  (tables)
"""Code of other languages without its comments, and without texts that it only shows."""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern
from policyc.engine.remembered import remembered

_DOUBLE = r'"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|\Z)'
_SINGLE = r"'(?:[^'\\\n]|\\.)*(?:'|(?=\n)|\Z)"
#: Texts that may go over lines.
_WIDE = r'"(?:[^"\\]|\\.)*(?:"|\Z)' + r"|'(?:[^'\\]|\\.)*(?:'|\Z)"
#: What is not closed goes on to the end: so nothing is read twice.
_TRIPLE = r'"""(?:[^\\]|\\.)*?(?:"""|\Z)' + r"|'''(?:[^\\]|\\.)*?(?:'''|\Z)"
_LONG = r"\[(?P<long>=*)\[.*?(?:\](?P=long)\]|\Z)"

#: Per language its texts, its comments, and what may make either read otherwise: then nothing is taken away.
_SYNTAX: dict[str, tuple[str, str, str]] = {
    "python": (f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}", r"#[^\n]*", r"\b[rRbB]?[fFtT][rR]?['\"]"),
    "javascript": (
        f"{_DOUBLE}|{_SINGLE}",
        r"//[^\n]*|/\*.*?(?:\*/|\Z)",
        r"`|(?:^|[=(,;:!&|?{}\[\n+>)]|\breturn)[ \t]*/(?![/*])",
    ),
    "php": (_WIDE, r"(?://|#(?!\[))[^\n]*|/\*.*?(?:\*/|\Z)", r"<<<|\?>"),
    "lua": (f"{_DOUBLE}|{_SINGLE}|{_LONG}", r"--\[(?P<block>=*)\[.*?(?:\](?P=block)\]|\Z)|--[^\n]*", r"(?!)"),
    "julia": (f"{_TRIPLE}|{_DOUBLE}", r"#=.*?(?:=#|\Z)|#(?!=)[^\n]*", r"\$\(|'|#=(?:(?!=#).)*#="),
    "perl": (_WIDE, r"^=[a-zA-Z].*?(?:^=cut\b[^\n]*|\Z)|^[ \t]*#[^\n]*", r"<<|\bq[qwxr]?\b|\b(?:s|tr|y|m)\b|[=~(,!&|{][ \t]*/|\bsplit[ \t]*/|\$['\"]|\w'\w"),
    "ruby": (_WIDE, r"^=begin\b.*?(?:^=end\b[^\n]*|\Z)|^[ \t]*#[^\n]*", r"<<|%[qQwWiIxrs]?\W|#\{|(?:^|[=~(,!&|{\[\s])/|\?['\"]"),
    "awk": (_DOUBLE, r"^[ \t]*#[^\n]*", r"\\\n"),
    "r": (_WIDE, r"#[^\n]*", r"\b[rR]['\"]|`"),
    **dict.fromkeys(("c", "go", "java"), (f"{_DOUBLE}|{_SINGLE}", r"//[^\n]*|/\*.*?(?:\*/|\Z)", r"`|\\\n|\?\?/")),
}  # fmt: skip
_SHOWS = lazy_pattern(
    r"[;\n{]\s*(?:print|puts|echo|say|console\.(?:log|error|info)|println|io\.write|fmt\.Println)\s*\(?\s*\Z"
)
_ENDS = lazy_pattern(r"\s*\)?\s*(?:[;\n}]|\Z)")
_STARTS = lazy_pattern(r"\n[ \t]*\Z")
#: Marks in a text that some language replaces by the value of code.
_LIVE = frozenset("{$@`\\%")
#: Characters before a text that say whether it is only shown.
_BEFORE = 48


@remembered(32)
def _tokens(language: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    syntax = _SYNTAX.get(language)
    if syntax is None:
        return None
    texts, comments, hazards = syntax
    return re.compile(f"(?P<text>{texts})|{comments}", re.DOTALL | re.MULTILINE), re.compile(
        hazards, re.DOTALL
    )


def without_comments(code: str, language: str) -> str:
    """``code`` with a blank for each comment and each text that is only printed, or stands alone."""
    tokens = _tokens(language)
    if tokens is None or tokens[1].search(code) is not None:
        return code
    pieces: list[str] = []
    at = 0
    for match in tokens[0].finditer(code):
        text = match.group(0)
        if match.group("text") is None or _is_shown(code, match.start(), match.end(), text):
            pieces += [code[at : match.start()], " "]
            at = match.end()
    return "".join([*pieces, code[at:]])


def _is_shown(code: str, start: int, end: int, text: str) -> bool:
    if _ENDS.match(code, end) is None:
        return False
    before = code[start - _BEFORE : start] if start > _BEFORE else "\n" + code[:start]
    if text[:3] in ('"""', "'''"):
        return _STARTS.search(before) is not None
    return _LIVE.isdisjoint(text) and _SHOWS.search(before) is not None
