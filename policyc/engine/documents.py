"""JSON text from outside, read strictly: one table of what is malformed, for every surface.

Parsers differ on duplicate keys, NaN, huge numbers and lone surrogates, and a call that two of them read
differently is a call that was never checked. So all of these are refused, or settled, here.
"""

from __future__ import annotations

import json

from policyc.engine.text import clean

#: Nesting beyond this is no tool call; it also keeps every later walk within any interpreter's stack.
MAX_DEPTH = 128
#: Digits of an integer, Python's own bound (sys.int_info.default_max_str_digits).
MAX_DIGITS = 4300


class Malformed(ValueError):
    """Text that is not one well-formed JSON document. ``code`` is stable, ``message`` is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def parse(text: str | bytes) -> object:
    """The JSON value in ``text``. A BOM is dropped and lone surrogates become U+FFFD. Raises Malformed."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Malformed("not_utf8", f"byte {error.start} is not UTF-8") from None
    text = text[1:] if text.startswith("\ufeff") else text
    if not text.strip(" \t\r\n"):
        raise Malformed("empty", "the document is empty")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Malformed("invalid_json", f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise Malformed("too_deep", f"nested deeper than {MAX_DEPTH} levels") from None
    if is_too_deep(value):
        raise Malformed("too_deep", f"nested deeper than {MAX_DEPTH} levels")
    return _settle_surrogates(value) if "\\u" in text or not _is_text(text) else value


def is_too_deep(value: object) -> bool:
    """Whether objects and lists nest deeper than MAX_DEPTH in ``value``."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _containers(parent)]
        if not level:
            return False
    return True


def _containers(value: object) -> list[object]:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [child for child in children if isinstance(child, (dict, list))]


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen = set()
        for key, _value in pairs:
            if key in seen:
                raise Malformed("duplicate_key", f"the key {key!r} appears twice in one object")
            seen.add(key)
    return found


def _integer(digits: str) -> int:
    if len(digits) - digits.startswith("-") > MAX_DIGITS:
        raise Malformed("number_out_of_range", f"an integer of more than {MAX_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise Malformed("number_out_of_range", f"{digits[:40]} is beyond the range of a double")
    return value


def _constant(name: str) -> object:
    raise Malformed("not_a_number", f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_integer, parse_float=_float, parse_constant=_constant
)


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _settle_surrogates(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_settle_surrogates(item) for item in value]
    if isinstance(value, dict):
        settled = {clean(key): _settle_surrogates(item) for key, item in value.items()}
        if len(settled) != len(value):
            raise Malformed("duplicate_key", "two keys of one object differ only in lone surrogates")
        return settled
    return value
