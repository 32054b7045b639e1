"""Paths below `/gateway/`: which upstream, and which of its paths, without room for two readings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from starlette.types import Scope

from policyc_server.errors import ApiError

PREFIX = "/gateway/"
_SEGMENT = re.compile(rb"[A-Za-z0-9._~!$&'()*+,=:@ -]+")


@dataclass(frozen=True)
class Below:
    """The path behind an upstream's name: its decoded ``segments``, and ``tail`` as it goes upstream."""

    segments: tuple[str, ...]
    tail: bytes


def upstream_name(path: str) -> str | None:
    """The upstream that a path names, if it is below the gateway."""
    return path[len(PREFIX) :].partition("/")[0] if path.startswith(PREFIX) else None


def below(scope: Scope, upstream: str) -> Below:
    """What the request's path says behind the upstream's name. Raises ApiError 400 for a path that somebody
    may read otherwise: an empty segment, one that ends in a dot or has spaces around it, an encoded slash, a
    semicolon."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    start, tail = f"{PREFIX}{upstream}/".encode(), raw.partition(b"?")[0]
    segments = [unquote_to_bytes(segment) for segment in tail[len(start) :].split(b"/")]
    if not tail.startswith(start) or not all(map(_is_plain, segments)):
        said = "the path has a segment that may be read in two ways: write it plainly"
        raise ApiError(400, "path_refused", said)
    return Below(tuple(segment.decode("ascii") for segment in segments), tail[len(start) - 1 :])


def query_without(query: bytes, names: tuple[str, ...]) -> bytes:
    """The query without the parameters of these names."""
    if not names:
        return query
    kept = [pair for pair in query.split(b"&") if _name(pair) not in names]
    return b"&".join(kept)


def parameters(query: bytes) -> dict[str, str]:
    """The parameters of a query; of those with one name the last."""
    pairs = [pair.partition(b"=") for pair in query.split(b"&") if pair]
    return {_decoded(name): _decoded(value) for name, _, value in pairs}


def values(query: bytes) -> list[str]:
    """Every value in a query."""
    return [_decoded(pair.partition(b"=")[2]) for pair in query.split(b"&")]


def _is_plain(segment: bytes) -> bool:
    # Some servers drop spaces and dots at the end of a segment.
    is_cut = segment.strip(b" ") != segment or segment.endswith(b".")
    return not is_cut and _SEGMENT.fullmatch(segment) is not None


def _name(pair: bytes) -> str:
    return _decoded(pair.partition(b"=")[0])


def _decoded(text: bytes) -> str:
    return unquote_to_bytes(text.replace(b"+", b" ")).decode("utf-8", "replace")
