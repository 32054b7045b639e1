"""Server-sent events as the APIs write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from policyc.stand_in.script import Cut, Pause

#: What a stream is made of: bytes to send, or something that happens between them.
Step = bytes | Pause | Cut
Steps = Iterator[Step]


def encode(document: Any) -> bytes:
    """JSON without spaces; ``msgspec.Raw`` stands in it as it is, JSON or not."""
    return msgspec.json.encode(document)


def data(document: Any) -> bytes:
    """An event without a name."""
    return b"data: " + encode(document) + b"\n\n"


def named(document: dict[str, Any]) -> bytes:
    """An event named for its type."""
    return b"event: " + str(document["type"]).encode() + b"\n" + data(document)
