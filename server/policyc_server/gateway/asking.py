"""Asks an upstream, over pooled connections, and reads what it answers, unpacked and bounded."""

from __future__ import annotations

import os
import ssl
import zlib
from collections.abc import AsyncIterator, Iterator

import httpx

from policyc_server.errors import ApiError
from policyc_server.gateway.headers import Headers
from policyc_server.settings_file.upstream import Upstream

_MOST_CONNECTIONS = 1000
_MOST_IDLE = 100
#: Shorter than servers keep idle connections: one that they close first is a failed request.
_IDLE = 4.0
_PIECE = 64 * 1024
#: Header and trailer as zlib finds them, of gzip and of zlib; deflate without either is what some send.
_WINDOW = {"gzip": zlib.MAX_WBITS | 32, "x-gzip": zlib.MAX_WBITS | 32, "deflate": zlib.MAX_WBITS | 32}


class Asking:
    """The connections to one upstream. Where they go is the operator's word alone: no redirect is followed,
    and no proxy of the environment is used."""

    def __init__(self, upstream: Upstream) -> None:
        self._base = httpx.URL(upstream.base_url)
        self._timeout = httpx.Timeout(upstream.read_timeout, connect=upstream.connect_timeout)
        limits = httpx.Limits(
            max_connections=_MOST_CONNECTIONS, max_keepalive_connections=_MOST_IDLE, keepalive_expiry=_IDLE
        )
        self._client = httpx.AsyncClient(
            timeout=self._timeout, limits=limits, trust_env=False, follow_redirects=False
        )
        variable = upstream.credential_env
        self.secret = None if variable is None else os.environ[variable]

    async def send(
        self,
        method: str,
        target: bytes,
        headers: Headers,
        content: bytes | AsyncIterator[bytes],
    ) -> httpx.Response:
        """The answer, its body still to come; it has to be closed. Raises ApiError 502 and 504."""
        url = self._base.copy_with(raw_path=self._base.raw_path.rstrip(b"/") + target)
        request = httpx.Request(
            method, url, headers=headers, content=content, extensions={"timeout": self._timeout.as_dict()}
        )
        try:
            return await self._client.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError) as error:
            raise failed(error) from None

    async def close(self) -> None:
        await self._client.aclose()


def failed(error: Exception) -> ApiError:
    """An exchange that did not come to its end, without what the URL or the answer may give away."""
    if isinstance(error, httpx.TimeoutException):
        return ApiError(504, "upstream_timeout", "the LLM API did not answer in time")
    return ApiError(
        502, "upstream_failed", f"the LLM API cannot be reached, or broke off: {type(error).__name__}"
    )


async def unpacked(response: httpx.Response, limit: int) -> AsyncIterator[bytes]:
    """The body in pieces as they arrive, without its content coding. Raises ApiError 502 and 504: beyond
    ``limit`` bytes, for a coding that nobody offered, for a body that breaks off."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding != "identity" and coding not in _WINDOW:
        raise ApiError(502, "upstream_unreadable", "the answer has a content coding that nobody asked for")
    unpack = _as_it_is if coding == "identity" else _Unpacker(_WINDOW[coding])
    size = 0
    try:
        async for packed in response.aiter_raw():
            for piece in unpack(packed):
                size += len(piece)
                if size > limit:
                    raise ApiError(502, "upstream_too_large", f"the answer is larger than {limit} bytes")
                yield piece
    except (httpx.HTTPError, httpx.StreamError, ssl.SSLError) as error:
        raise failed(error) from None
    except zlib.error:
        raise ApiError(502, "upstream_unreadable", "the answer cannot be unpacked") from None
    if isinstance(unpack, _Unpacker) and not unpack.is_complete:
        raise ApiError(502, "upstream_failed", "the answer broke off")


def _as_it_is(piece: bytes) -> Iterator[bytes]:
    if piece:
        yield piece


class _Unpacker:
    """Unpacks in pieces of bounded size, so that a small piece cannot become a large one in memory."""

    def __init__(self, window: int) -> None:
        self._decoder = zlib.decompressobj(window)
        self._has_begun = False

    @property
    def is_complete(self) -> bool:
        return self._decoder.eof or not self._has_begun

    def __call__(self, packed: bytes) -> Iterator[bytes]:
        self._has_begun = True
        while packed and not self._decoder.eof:
            piece = self._decoder.decompress(packed, _PIECE)
            packed = self._decoder.unconsumed_tail
            if piece:
                yield piece
