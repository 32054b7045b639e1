"""Sets of code points as sorted ranges that neither overlap nor touch."""

from __future__ import annotations

Ranges = tuple[tuple[int, int], ...]

MAX = 0x10FFFF
ANY = ((0, MAX),)
NOT_NEWLINE = ((0, 9), (11, MAX))

DIGIT = ((48, 57),)
SPACE = ((9, 10), (12, 13), (32, 32))
WORD = ((48, 57), (65, 90), (95, 95), (97, 122))

#: ``[:name:]`` -> its characters; all of them ASCII.
POSIX = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": DIGIT,
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "word": WORD,
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}

#: The two letters with a third case: long s and the Kelvin sign.
_ODD = {83: 0x17F, 115: 0x17F, 75: 0x212A, 107: 0x212A}
#: The long s and the Kelvin sign -> the ASCII letters that are their other cases.
ODD_CASES = {0x17F: [(83, 83), (115, 115)], 0x212A: [(75, 75), (107, 107)]}


def merged(ranges: list[tuple[int, int]]) -> Ranges:
    """``ranges``, in any order, as a set."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            if high > result[-1][1]:
                result[-1] = (result[-1][0], high)
        else:
            result.append((low, high))
    return tuple(result)


def negated(ranges: Ranges) -> Ranges:
    """Every code point that is not in the set."""
    result = []
    start = 0
    for low, high in ranges:
        if start < low:
            result.append((start, low - 1))
        start = high + 1
    if start <= MAX:
        result.append((start, MAX))
    return tuple(result)


def ascii_cases(low: int, high: int) -> list[tuple[int, int]]:
    """The other cases of the ASCII letters in ``low`` to ``high``."""
    found = []
    for first, last, shift in ((65, 90, 32), (97, 122, -32)):
        start, end = max(low, first), min(high, last)
        if start <= end:
            found.append((start + shift, end + shift))
            found += [(odd, odd) for letter, odd in _ODD.items() if start <= letter <= end]
    return found
