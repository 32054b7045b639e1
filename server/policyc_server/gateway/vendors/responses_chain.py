"""What a stored conversation of OpenAI responses still needs when its next request comes.

A client that names the previous response by its id leaves the history to the vendor, where blocked calls
stand without a result, which the vendor refuses. So the results are remembered here and put in front of the
next input; and where a streamed message went on over several responses, so is the id of the last one.

It is kept in this process, for as many responses as there is room for: a request that comes to another one is
refused by the vendor ("No tool output found"), and nothing that was blocked gets through by that.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from policyc_server.gateway.vendors.vendor import Document

_ROOM = 10_000


class _Link(NamedTuple):
    last: str
    results: tuple[Document, ...]


class Chain:
    """The responses whose ids alone do not say how the conversation goes on, the oldest forgotten first."""

    def __init__(self, room: int = _ROOM) -> None:
        self._links: OrderedDict[str, _Link] = OrderedDict()
        self._room = room

    def remember(self, shown: str, last: str, results: Iterable[Document]) -> None:
        """The client knows the response as ``shown``; the vendor's is ``last`` and waits for ``results``."""
        link = _Link(last, tuple(results))
        if shown == last and not link.results:
            return
        self._links[shown] = link
        if len(self._links) > self._room:
            self._links.popitem(last=False)

    def resumed(self, request: Document) -> Document:
        """``request`` as the vendor needs it; the same object where nothing is known of it."""
        shown = request.get("previous_response_id")
        link = self._links.get(shown) if isinstance(shown, str) else None
        if link is None:
            return request
        return {**request, "previous_response_id": link.last, "input": [*link.results, *input_items(request)]}


def input_items(request: Document) -> list[Document]:
    """The input as items; a text is a message of the user."""
    given = request.get("input")
    if given is None:
        return []
    return given if isinstance(given, list) else [{"role": "user", "content": given}]
