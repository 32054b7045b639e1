"""Patterns made a little wider or narrower: an alternative left out, an anchor lost."""

from __future__ import annotations

from collections.abc import Iterator

from policyc.engine.regex import RegexError, compile_regex
from policyc.testing.mutation.lists import Change


def of_pattern(pattern: str) -> Iterator[Change]:
    """Changes of a pattern; those that are no pattern are left out."""
    for what, changed, focus in _changes(pattern):
        try:
            compile_regex(changed)
        except RegexError:
            continue
        yield what, changed, focus


def _changes(pattern: str) -> Iterator[Change]:
    parts = alternatives(pattern)
    for place, part in enumerate(parts if len(parts) > 1 else ()):
        rest = "|".join([*parts[:place], *parts[place + 1 :]])
        flags = "" if place else _flags(part)
        yield (
            f"alternative {part!r} taken out of the pattern",
            flags + rest,
            _flags(parts[0]) * bool(place) + part,
        )
    if len(parts) == 1 and pattern.startswith("^"):
        yield "^ taken off the pattern", pattern[1:], pattern[1:]
    if len(parts) == 1 and pattern.endswith("$") and not pattern.endswith("\\$"):
        yield "$ taken off the pattern", pattern[:-1], pattern[:-1]


def alternatives(pattern: str) -> list[str]:
    """What stands between the bars that are in no group."""
    parts: list[str] = []
    depth = at = start = opened = 0
    in_class = False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif in_class:
            in_class = char != "]" or at == opened + 1
        elif char == "[":
            in_class, opened = True, at + (pattern[at + 1 : at + 2] == "^")
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and depth == 0:
            parts.append(pattern[start:at])
            start = at + 1
        at += 1
    return [*parts, pattern[start:]]


def _flags(part: str) -> str:
    """``(?i)`` at the beginning, which is for all alternatives."""
    head, closed, _ = part.partition(")")
    return head + closed if closed and part.startswith("(?") and head[2:].isalpha() else ""
