"""Recorded events from a running server: every page of ``/v1/events``, newest first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from policyc_server.remote.url import url_problem

from policyc import __version__
from policyc.engine.documents import Malformed, parse

#: The environment variable with the key; a key on the command line would be seen by every process.
KEY = "POLICYC_TOKEN"
#: Events that are asked for at most, and those of one page.
MOST = 100_000
_PAGE = 1_000
_PATH = "/v1/events"
#: Seconds, for the connection and between two pieces of an answer.
_CONNECT_WITHIN = 10.0
_READ_WITHIN = 30.0
#: Bytes of one page: 1,000 events with the longest arguments have about 10 MB.
_LARGEST_PAGE = 64 << 20
_HINTS = {
    401: f"Give a key of role reviewer in the environment variable {KEY}.",
    403: f"The key in {KEY} needs the role reviewer.",
    404: "Name the policy server, started with --state or --database: only then events are kept.",
}


class EventsError(Exception):
    """The events cannot be had: ``code``, the message and ``hint``."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Recorded:
    """``more``: the server has older events, which were not asked for."""

    events: list[object]
    more: bool = False


def fetch_events(url: str, most: int = MOST) -> Recorded:
    """The newest ``most`` events of the server at ``url``, which may have a query with the filters of
    ``/v1/events``. Raises EventsError.

    The key is sent to that server alone: no redirect is followed.
    """
    problem = url_problem(url, f"give the key as {KEY}")
    if problem:
        raise EventsError("bad_events_url", f"cannot ask {_shown(url)}: {problem}")
    address = _address(url)
    found: list[object] = []
    with httpx.Client(
        timeout=httpx.Timeout(_READ_WITHIN, connect=_CONNECT_WITHIN), headers=_headers()
    ) as client:
        for page in _pages(client, address):
            found += page
            if len(found) >= most:
                return Recorded(found[:most], more=True)
    return Recorded(found)


def _address(url: str) -> httpx.URL:
    """``url`` with the path of the events, below the path where a proxy keeps the server."""
    address = httpx.URL(url).copy_with(fragment=None)
    taken = {"limit", "before", "format"} & set(address.params)
    if taken:
        hint = "Filter with since, until, agent, tool, run, rule, policy, verdict or surface."
        raise EventsError("bad_events_url", f"`{min(taken)}` is set for each page, not in the URL", hint)
    path = address.path.rstrip("/")
    return address.copy_with(path=path if path.endswith(_PATH) else path + _PATH)


def _headers() -> dict[str, str]:
    key = os.environ.get(KEY, "").strip()
    if not key.isascii() or not key.isprintable():
        raise EventsError("bad_key", f"the key in {KEY} has characters that no key has")
    return {"user-agent": f"policyc/{__version__}"} | ({"authorization": f"Bearer {key}"} if key else {})


def _pages(client: httpx.Client, address: httpx.URL) -> Iterator[list[object]]:
    before: str | None = None
    while True:
        asked = address.copy_merge_params(
            {"limit": str(_PAGE), **({} if before is None else {"before": before})}
        )
        document = _read(_asked(client, asked))
        yield document["events"]
        following = document.get("next")
        if following is None:
            return
        if not isinstance(following, str) or not _goes_on(following, before):
            raise EventsError("events_unreadable", f"{_shown(str(address))} does not say which page follows")
        before = following


def _goes_on(following: str, before: str | None) -> bool:
    """Pages go back in time; one that does not would never end."""
    return following.isdecimal() and (before is None or int(following) < int(before))


def _asked(client: httpx.Client, url: httpx.URL) -> bytes:
    try:
        with client.stream("GET", url) as answer:
            content = b"".join(_bounded(answer, url))
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        said = str(error) or type(error).__name__
        raise EventsError("events_unreachable", f"{_shown(str(url))} gives no answer: {said}") from None
    if answer.status_code != 200:
        message = f"{_shown(str(url))} answered {answer.status_code}{_reason(content)}"
        raise EventsError("events_refused", message, _HINTS.get(answer.status_code))
    return content


def _bounded(answer: httpx.Response, url: httpx.URL) -> Iterator[bytes]:
    size = 0
    for piece in answer.iter_bytes():
        size += len(piece)
        if size > _LARGEST_PAGE:
            raise EventsError(
                "events_unreadable", f"{_shown(str(url))} sends more than {_LARGEST_PAGE} bytes a page"
            )
        yield piece


def _read(content: bytes) -> dict[str, Any]:
    try:
        document = parse(content)
    except Malformed:
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("events"), list):
        hint = "Name a policy server: its address, or that of its /v1/events."
        raise EventsError("events_unreadable", "what was answered are no events", hint)
    return document


def _reason(content: bytes) -> str:
    """What the server says is wrong, in its own words."""
    try:
        document = parse(content)
    except Malformed:
        return ""
    error = document.get("error") if isinstance(document, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return f": {message}" if isinstance(message, str) else ""


def _shown(url: str) -> str:
    """Without a query or a credential, in which there may be a secret."""
    address = url.split("?", 1)[0].split("#", 1)[0]
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if rest else address
