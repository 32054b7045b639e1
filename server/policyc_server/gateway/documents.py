"""Answers of upstream and the arguments in them: read so that no two readers can see different calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from policyc.engine.documents import MAX_DEPTH, MAX_DIGITS, Malformed, is_too_deep, parse
from policyc_server.bodies import read_json
from policyc_server.errors import ApiError
from policyc_server.gateway.vendors.vendor import Document, ToolCall, Unreadable

_LONE_SURROGATES = re.compile(rb"\\u[dD][89a-fA-F]")


def read_answer(body: bytes) -> Any:
    """The JSON document in `body`. Raises Unreadable.

    What is wrong inside of it (duplicate keys, NaN) stands there as a value that `arguments_of` and
    `check_rest` find: a fault in a call's arguments is that call's."""
    try:
        return read_json(body)
    except ApiError:
        return _read_with_faults(body)


def write_answer(document: object) -> bytes:
    """A document as JSON in ASCII, with integers of any length."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode()


def arguments_of(raw: str | Document | None) -> Document | Malformed:
    """The arguments of a call by what the answer has of them, or why nobody can know them."""
    if raw is None:
        return Malformed("no_arguments", "there are no arguments that can be read")
    if isinstance(raw, str):
        return _parsed(raw)
    if is_too_deep(raw):
        return Malformed("too_deep", f"nested deeper than {MAX_DEPTH} levels")
    return _first_fault(raw) or raw


def check_rest(document: object, calls: Iterable[ToolCall]) -> None:
    """Raises Unreadable where something is wrong outside of the arguments of `calls`."""
    fault = _first_fault(document, {id(call.raw) for call in calls})
    if fault is not None:
        raise Unreadable(f"it is not one JSON document ({fault.code})")


def _parsed(text: str) -> Document | Malformed:
    if not text.strip():
        return {}
    try:
        value = parse(text)
    except Malformed as error:
        return error
    return value if isinstance(value, dict) else Malformed("not_an_object", "they are not a JSON object")


class _FaultyObject(dict[str, Any]):
    fault = Malformed("duplicate_key", "a key appears twice in one object")


class _FaultyNumber(float):
    fault = Malformed("number_out_of_range", "a number is none, or out of range")


_Faulty = (_FaultyObject, _FaultyNumber)


def _read_with_faults(body: bytes) -> Any:
    try:
        if _LONE_SURROGATES.search(body):
            parse(body)  # to say what is wrong with it
        return _decoder.decode(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("it is not UTF-8") from None
    except Malformed as error:
        raise Unreadable(f"it is not one JSON document ({error.code})") from None
    except (ValueError, RecursionError):
        raise Unreadable("it is not one JSON document") from None


def _object(pairs: list[tuple[str, Any]]) -> Document:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _FaultyObject(found)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else _FaultyNumber()


def _float(digits: str) -> float:
    value = float(digits)
    return _FaultyNumber() if value in (float("inf"), float("-inf")) else value


_decoder = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=lambda _name: _FaultyNumber(),
)


def _first_fault(document: object, besides: Iterable[int] = ()) -> Malformed | None:
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if id(value) in besides:
            continue
        if isinstance(value, _Faulty):
            return value.fault
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return None
