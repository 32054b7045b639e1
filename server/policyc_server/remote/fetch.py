"""One look at a URL: the bytes that are there, or that they are the same as before, or why neither."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from policyc import __version__
from policyc.bundle.archive import DEFAULT_LIMITS
from policyc_server.loader import Refused
from policyc_server.remote.url import BundleUrl, origin, url_problem

_CONNECT_WITHIN = 10.0
_READ_WITHIN = 15.0
_MOST_REDIRECTS = 3
#: Codes of failures that pass when the source is back.
UNREACHABLE = frozenset({"download_failed", "download_slow"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Fetched:
    """What was answered: ``content`` is None where it is what ``etag`` stood for before."""

    content: bytes | None
    etag: str | None
    status: int


class FetchFailed(Refused):
    """No answer that can be used; ``status`` is the HTTP status where there was one."""

    def __init__(self, code: str, message: str, status: int | None = None) -> None:
        super().__init__(code, message)
        self.status = status


class Fetcher:
    """Asks for one URL. ``header`` is a line like ``Authorization: Bearer ...``, sent to its host alone;
    a look takes at most ``deadline`` seconds."""

    def __init__(self, url: BundleUrl, header: str | None, deadline: float) -> None:
        self._url = url
        name, _, value = (header or "").partition(":")
        self._credential = {name.strip(): value.strip()} if header else {}
        self._deadline = deadline
        timeout = httpx.Timeout(_READ_WITHIN, connect=_CONNECT_WITHIN)
        self._client = httpx.Client(timeout=timeout, headers={"user-agent": f"policyc/{__version__}"})

    def fetch(self, etag: str | None) -> Fetched:
        """What is there, unless it is what ``etag`` names. Raises FetchFailed."""
        until = time.monotonic() + min(self._deadline, 1e6)
        url = self._url.text
        try:
            for _ in range(_MOST_REDIRECTS + 1):
                with self._client.stream("GET", url, headers=self._headers(url, etag)) as answer:
                    if answer.status_code not in _REDIRECTS:
                        return _read(answer, etag, until)
                    url = str(answer.url.join(answer.headers.get("location", "")))
                    if problem := url_problem(url):
                        raise FetchFailed("download_refused", f"a redirect leads elsewhere: {problem}")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            said = str(error) or type(error).__name__
            raise FetchFailed("download_failed", f"{self._url} cannot be read: {said}") from None
        raise FetchFailed("download_refused", f"more than {_MOST_REDIRECTS} redirects")

    def close(self) -> None:
        self._client.close()

    def _headers(self, url: str, etag: str | None) -> dict[str, str]:
        # The bytes as they are: a signature is over an artifact, not over what a proxy made of it.
        headers = {"accept-encoding": "identity"}
        if etag is not None:
            headers["if-none-match"] = etag
        return headers | (self._credential if origin(url) == origin(self._url.text) else {})


def _read(answer: httpx.Response, etag: str | None, until: float) -> Fetched:
    status = answer.status_code
    if status == 304 and etag is not None:
        return Fetched(None, answer.headers.get("etag", etag), status)
    if status != 200:
        raise FetchFailed("download_failed", f"the server answered {status}", status)
    declared = answer.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > DEFAULT_LIMITS.compressed:
        raise _too_large(status)
    return Fetched(b"".join(_bounded(answer, until)), answer.headers.get("etag"), status)


def _bounded(answer: httpx.Response, until: float) -> Iterator[bytes]:
    size = 0
    for part in answer.iter_raw():
        size += len(part)
        if size > DEFAULT_LIMITS.compressed:
            raise _too_large(answer.status_code)
        if time.monotonic() > until:
            raise FetchFailed("download_slow", "the answer was not complete in time", answer.status_code)
        yield part


def _too_large(status: int) -> FetchFailed:
    return FetchFailed("too_large", f"the answer has more than {DEFAULT_LIMITS.compressed:,} bytes", status)
