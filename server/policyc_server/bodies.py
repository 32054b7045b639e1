"""A request's body: bounded in size and time, and read as JSON the same way as everywhere else."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from starlette.types import Receive, Scope

from policyc.engine.documents import MAX_DEPTH, Malformed, parse
from policyc_server.errors import ApiError, ClientGone, malformed

_decode = msgspec.json.Decoder().decode


async def read_body(scope: Scope, receive: Receive, *, limit: int, deadline: float) -> bytes:
    """The whole body. Raises ApiError 413 or 408, and ClientGone."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and int(value) > limit:
            raise _too_large(limit)
    try:
        async with asyncio.timeout(deadline):
            return await _collect(receive, limit)
    except TimeoutError:
        raise ApiError(408, "timeout", f"the body was not complete after {deadline:g} s") from None


async def _collect(receive: Receive, limit: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        if not message.get("more_body", False):
            return b"".join((*chunks, chunk)) if chunks else chunk
        chunks.append(chunk)


def _too_large(limit: int) -> ApiError:
    return ApiError(413, "body_too_large", f"the body is larger than {limit} bytes")


def read_json(body: bytes) -> Any:
    """The JSON value in `body`, equal to what the engine's strict parser makes of it. Raises ApiError.

    msgspec is some thirty times faster and as strict but for duplicate keys and depth. What it refuses, and
    what may hold a duplicate key, the engine's parser decides.
    """
    try:
        value = _decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _read_strictly(body)
    return value if _is_plain(value, body) else _read_strictly(body)


def _read_strictly(body: bytes) -> Any:
    try:
        return parse(body)
    except Malformed as error:
        raise malformed(error) from None


def _is_plain(value: object, body: bytes) -> bool:
    """Whether `body` surely holds no duplicate key and is not too deep.

    Every key brings one colon, so as many colons in the text as keys in the value leave no room for a key
    that was dropped. Colons inside strings are counted where the quick count does not fit; a colon written
    as an escape would spoil that count, so it is left to the strict parser.
    """
    colons = body.count(b":")
    try:
        if _keys(value, MAX_DEPTH) == colons:
            return True
        return b"\\u003" not in body and _colons(value) == colons
    except _TooDeep:
        return False


class _TooDeep(Exception):
    pass


def _keys(value: object, depth: int) -> int:
    """The keys in `value`. Raises _TooDeep."""
    if not depth:
        raise _TooDeep
    found = 0
    if type(value) is dict:
        found = len(value)
        for child in value.values():
            if type(child) is dict or type(child) is list:
                found += _keys(child, depth - 1)
    elif type(value) is list:
        for child in value:
            if type(child) is dict or type(child) is list:
                found += _keys(child, depth - 1)
    return found


def _colons(value: object) -> int:
    """The colons of the keys in `value` and in its strings."""
    if type(value) is str:
        return value.count(":")
    if type(value) is dict:
        return sum(1 + key.count(":") + _colons(child) for key, child in value.items())
    return sum(map(_colons, value)) if type(value) is list else 0
