"""Answers as plain ASGI messages, without a response object on the hot path."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

import msgspec
from starlette.types import Send

Headers = Iterable[tuple[bytes, bytes]]

_JSON = (b"content-type", b"application/json")
encode = msgspec.json.Encoder().encode
# msgspec writes integers beyond 64 bits as strings; every one of those has at least 19 digits in a row.
_LONG_NUMBER = re.compile(rb"[0-9]{19}").search


def encode_echo(document: object, body: bytes) -> bytes:
    """`document` as JSON, where it repeats values that came in with `body`."""
    if _LONG_NUMBER(body):
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    return encode(document)


async def send_json(send: Send, status: int, body: bytes, headers: Headers = ()) -> None:
    """One complete JSON answer."""
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [_JSON, (b"content-length", b"%d" % len(body)), *headers],
        }
    )
    await send({"type": "http.response.body", "body": body})
