"""JSON text from outside, read strictly: one table of what is malformed, for every surface.

Parsers differ on duplicate keys, NaN, huge numbers and lone surrogates, and a call that two of them read
differently is a call that was never checked. So all of these are refused, or settled, here.
"""

from __future__ import annotations

from policyc.engine.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable

_WHITE = " \t\r\n"
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
    if not text.strip(_WHITE):
        raise Malformed("empty", "the document is empty")
    try:
        value = _decode(text)
    except RecursionError:
        raise Malformed("too_deep", f"nested deeper than {MAX_DEPTH} levels") from None
    if is_too_deep(value):
        raise Malformed("too_deep", f"nested deeper than {MAX_DEPTH} levels")
    return _settle_surrogates(value) if "\\u" in text or not _is_text(text) else value


def dump(value: object) -> str:
    """``value``, which is JSON data, as the text of a document: ASCII, on one line."""
    try:
        from _json import encode_basestring_ascii, make_encoder
    except ImportError:
        import json

        return json.dumps(value)
    write = make_encoder(None, None, encode_basestring_ascii, None, ": ", ", ", False, False, True)  # type: ignore[arg-type]
    return "".join(write(value, 0))


def parse_own(text: str) -> object:
    """The JSON value in ``text`` that this program wrote: without the checks of what comes from outside."""
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text)
    return make_scanner(_Trusting)(text, 0)[0]  # type: ignore[arg-type]


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


class _Settings:
    """What the scanner of the json module asks its decoder for."""

    strict = True
    object_hook = None
    object_pairs_hook = staticmethod(_pairs)
    parse_int = staticmethod(_integer)
    parse_float = staticmethod(_float)
    parse_constant = staticmethod(_constant)


class _Trusting:
    """The settings of a document that is known to be one."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_int = int
    parse_float = parse_constant = float


def _scanner() -> Callable[[str, int], tuple[object, int]]:
    try:
        # The package json imports re, and with it half of what a hook process does.
        from _json import make_scanner
    except ImportError:
        import json

        return json.JSONDecoder(
            object_pairs_hook=_pairs, parse_int=_integer, parse_float=_float, parse_constant=_constant
        ).raw_decode
    return make_scanner(_Settings)  # type: ignore[arg-type]


_scan_once = _scanner()


def _decode(text: str) -> object:
    """The one value in ``text``, with white space around it. Raises Malformed and RecursionError."""
    start = len(text) - len(text.lstrip(_WHITE))
    try:
        value, end = _scan_once(text, start)
    except StopIteration as stop:
        raise _invalid("Expecting value", text, stop.value) from None
    except Malformed:
        raise
    except ValueError as error:  # json.JSONDecodeError, which only exists once something is wrong
        raise _invalid(getattr(error, "msg", str(error)), text, getattr(error, "pos", 0)) from None
    rest = text[end:].lstrip(_WHITE)
    if rest:
        raise _invalid("Extra data", text, len(text) - len(rest))
    return value


def _invalid(message: str, text: str, position: int) -> Malformed:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return Malformed("invalid_json", f"{message} at line {line}, column {column}")


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
