"""Where a text holds a key, a token, an address or a number of a person: one finder per preset.

A finder yields ``(start, end)`` in order, in time linear in the text: what a pattern repeats is bounded, or
taken in one go from a place where it is not tried again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import accumulate

from policyc.engine.patterns import lazy_pattern

Span = tuple[int, int]
Finder = Callable[[str], Iterator[Span]]

# No letter or digit before, but for that of an escape: a JSON document inside a string has \\nAKIA...
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))"

_AWS_ACCESS_KEY = lazy_pattern(_START + r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])")
_AWS_SECRET_KEY = lazy_pattern(r"(?:(?<![A-Za-z0-9/+])|(?<=\\[nrtbf]))[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_OPENAI_KEY = lazy_pattern(_START + r"sk-[A-Za-z0-9_-]{32,}")
_ANTHROPIC_KEY = lazy_pattern(r"sk-ant-[A-Za-z0-9_-]{40,}")
_BEARER_TOKEN = lazy_pattern(_START + r"[Bb][Ee][Aa][Rr][Ee][Rr][ \t]{1,8}([A-Za-z0-9._~+/=-]{16,})")
_SSN_US = lazy_pattern(r"(?<![0-9])(?<![0-9]-)[0-9]{3}-[0-9]{2}-[0-9]{4}(?![0-9])(?!-[0-9])")
_DIGIT_GROUPS = lazy_pattern(r"[0-9]+(?:[ -][0-9]+)*")
_GROUP = lazy_pattern(r"[0-9]+")
_DOMAIN = lazy_pattern(r"[\w-]+(?:\.[\w-]+)+")

#: Digits of a card number.
MIN_CARD, MAX_CARD = 13, 19


def _all(pattern: re.Pattern[str], group: int = 0) -> Finder:
    return lambda text: (match.span(group) for match in pattern.finditer(text))


def _aws_secret_keys(text: str) -> Iterator[Span]:
    for match in _AWS_SECRET_KEY.finditer(text):
        # Of 2,000 random secrets one fails this; hashes in hexadecimal and most file paths do.
        found = match[0]
        mixed = found != found.lower() and found != found.upper()
        if mixed and any(char in "0123456789+" for char in found):
            yield match.span()


def _emails(text: str) -> Iterator[Span]:
    floor = 0
    at = text.find("@")
    while at >= 0:
        start = at
        while start > floor and _in_local_part(text[start - 1]):
            start -= 1
        floor = at + 1
        length = _domain_length(text, floor) if start < at else 0
        if length:
            floor += length
            yield start, floor
        at = text.find("@", floor)


def _in_local_part(char: str) -> bool:
    return char.isalnum() or char in "_.%+-"


def _domain_length(text: str, start: int) -> int:
    """The length of the domain at ``start``, or 0. Its last labels may be no part: a@b.com.1 ends at .com."""
    domain = _DOMAIN.match(text, start)
    end = domain.end() if domain else start
    while end > start:
        dot = text.rfind(".", start, end)
        if dot < 0:
            return 0
        if _is_top_level(text[dot + 1 : end]):
            return end - start
        end = dot
    return 0


def _is_top_level(label: str) -> bool:
    return len(label) >= 2 and (label.isalpha() or label.startswith("xn--"))


def _credit_cards(text: str) -> Iterator[Span]:
    for run in _DIGIT_GROUPS.finditer(text):
        if run.end() - run.start() >= MIN_CARD:
            yield from _cards_in(text, [group.span() for group in _GROUP.finditer(text, *run.span())])


def _cards_in(text: str, groups: list[Span]) -> Iterator[Span]:
    """Card numbers from the start of one group to the end of another, the longest first."""
    digits = "".join(text[start:end] for start, end in groups)
    if len(digits) < MIN_CARD:
        return
    ends = list(accumulate(end - start for start, end in groups))
    passes = _luhn(digits)
    first = last = 0
    while first < len(groups):
        start = ends[first - 1] if first else 0
        last = max(last, first)
        while last + 1 < len(groups) and ends[last + 1] - start <= MAX_CARD:
            last += 1
        final = last
        while final >= first and ends[final] - start >= MIN_CARD and not passes(start, ends[final]):
            final -= 1
        if final >= first and MIN_CARD <= ends[final] - start <= MAX_CARD:
            yield groups[first][0], groups[final][1]
            first = final
        first += 1


def _luhn(digits: str) -> Callable[[int, int], bool]:
    """Whether 13 to 19 of ``digits`` are a card number (ISO/IEC 7812-1), each time without adding them up."""
    plain = [int(digit) for digit in digits]
    double = [2 * n - 9 if n > 4 else 2 * n for n in plain]
    sums = []
    for parity in (0, 1):
        mixed = plain[:]
        mixed[1 - parity :: 2] = double[1 - parity :: 2]
        sums.append([0, *accumulate(mixed)])

    def passes(start: int, end: int) -> bool:
        total = sums[(end - 1) % 2]  # the last digit, and every second before it, is not doubled
        return (
            MIN_CARD <= end - start <= MAX_CARD
            and (total[end] - total[start]) % 10 == 0
            and len(set(digits[start:end])) > 1
        )

    return passes


def is_card(digits: str) -> bool:
    """Whether ``digits`` are 13 to 19, not all the same, and pass Luhn's check."""
    return _luhn(digits)(0, len(digits))


#: Most specific first: of two presets that find the same text, the first names it.
PRESETS: dict[str, Finder] = {
    "anthropic_key": _all(_ANTHROPIC_KEY),
    "aws_access_key": _all(_AWS_ACCESS_KEY),
    "openai_key": _all(_OPENAI_KEY),
    "ssn_us": _all(_SSN_US),
    "credit_card": _credit_cards,
    "email": _emails,
    "aws_secret_key": _aws_secret_keys,
    "bearer_token": _all(_BEARER_TOKEN, 1),
}
