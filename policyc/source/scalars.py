"""Plain scalars by the YAML 1.2 core schema (https://yaml.org/spec/1.2.2/#103-core-schema).

``NO``, ``yes``, ``1:20`` and dates are strings and ``012`` is twelve: what YAML 1.1 makes of them changes
policies silently.
"""

from __future__ import annotations

import math
import re
from typing import Any

#: The digits an integer may have, as in the engine and in Python's own conversion limit.
MAX_DIGITS = 4300

_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_BASED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_FIRST = frozenset("0123456789+-.")
_LARGEST = 10**MAX_DIGITS


class ScalarError(ValueError):
    """A number that JSON cannot carry: ``code`` is the diagnostic's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def resolve(text: str) -> Any:
    """The value a plain scalar stands for. Raises ScalarError."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _FIRST:
        return text
    if _NUMBER.match(text):
        return integer(text) if _INTEGER.match(text) else real(text)
    if _BASED.match(text):
        return _bounded(int(text, 0))
    if _NOT_FINITE.match(text):
        raise ScalarError("not_finite", f"`{text}` is not a finite number")
    return text


def integer(text: str) -> int:
    """An exact decimal integer. Raises ScalarError."""
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > MAX_DIGITS:
        raise ScalarError("number_too_long", f"an integer of {len(digits)} digits; {MAX_DIGITS} are the most")
    value = int(digits or "0")
    return -value if text[0] == "-" else value


def real(text: str) -> float:
    """An IEEE double. Raises ScalarError when it would be infinite."""
    value = float(text)
    if math.isinf(value):
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        raise ScalarError("not_finite", f"`{shown}` is beyond the range of a double")
    return value


def _bounded(value: int) -> int:
    if value >= _LARGEST:
        raise ScalarError("number_too_long", f"an integer of more than {MAX_DIGITS} digits")
    return value
