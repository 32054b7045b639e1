"""What the gateway needs to know of an LLM API: the interface that each vendor fills in.

Two levels. A ``Vendor`` is a kind of upstream (``openai``, ``anthropic``, ``gemini``): how clients bring
credentials, how errors look, which of its routes are inspected. An ``Api`` is one inspected route of it:
where tools stand in a request, where calls stand in an answer, how an answer is changed, and how it is
streamed.

Nothing here decides, asks upstream or does I/O, and no method changes its arguments: what is returned shares
what it does not change. Documents are JSON as ``bodies.read_json`` and ``answers.read_answer`` return it;
they come from outside, so anything may be missing or of the wrong type. What is not what the API promises
raises ``Unreadable``: in a request the client gets a 400, in an answer a 502, and nothing of it is released.

A vendor must never guess in favour of a call. Whatever a client could take for a tool call is reported as
one, also in a shape that this version does not know: name it as well as the document does, and give what
cannot be read as ``raw = None``, which is malformed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from policyc_server.gateway.sse import Event

Document = dict[str, Any]

#: What a call without a name is called in events and to policies; no such call is ever released.
NAMELESS = "unnamed_call"
#: Calls, or items that may be calls, in one answer: more than any model makes, few enough to be compared.
MOST_CALLS = 2_000


class Unreadable(ValueError):
    """A request or an answer that is not what the API promises; the message is for people, without values."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a request advertises.

    ``name`` is what the policy's globs see first, and ``canonical`` a second name (``mcp.<server>.<tool>``
    for the native ``<server>.<tool>``). ``owner`` is the toolset or MCP server that brings it, what
    ``skill_name_glob`` is about. ``is_hosted``: the vendor runs it, before anybody sees the call, so it is
    judged beforehand also as a call with unknown arguments. ``problem`` is why nobody can say which tools
    this is (an MCP server whose tools are not listed): it is denied with that reason."""

    name: str
    canonical: str | None = None
    owner: str | None = None
    is_hosted: bool = False
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that an answer makes.

    ``key`` (hashable) names it within its answer, for edits. ``raw`` are its arguments as they came: JSON
    text that the model wrote (``str``; blank text is no arguments), or the JSON object that stands in the
    answer, the very object, not a copy; a tool that takes free text has ``{"input": text}``; None where there
    are none to read. ``is_hosted``: the vendor ran it already; it is judged and recorded, and blocked where
    it is denied, but the model is never asked again about it."""

    key: Any
    name: str
    raw: str | Document | None
    canonical: str | None = None
    owner: str | None = None
    is_hosted: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Replaces a blocked call by text that the client and, on its next turn, the model will see."""

    text: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Releases a call with other arguments; for a tool of free text it is ``arguments["input"]``."""

    arguments: Document


Edit = Note | Rewrite


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer. ``input`` is without those in ``cached_input`` and ``cache_write``; ``output`` is
    with the hidden ones (reasoning)."""

    input: int = 0
    output: int = 0
    cached_input: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer of upstream comes to. ``calls`` in their order; ``usage`` None where it says nothing.
    ``is_single``: it is one turn that can be continued, not several choices side by side."""

    calls: tuple[ToolCall, ...]
    usage: Usage | None
    is_single: bool = True


class End:
    """A step of a stream: the model's turn is over. What belongs to that end is held until ``Stream.end``."""


#: Bytes to release now, a complete call to decide, or the end of the turn.
Step = bytes | ToolCall | End


class Stream(ABC):
    """One answer as a state machine over events, and over the answers that continue it.

    The gateway calls, per event of upstream, ``feed``, and acts on each step before it takes the next:

    - ``bytes`` go to the client now. Text, and all that is no call, is released by the event it comes with
      and as it came. Nothing of a call is ever in there.
    - a ``ToolCall`` is complete and held. Later, exactly once, ``settle`` says what becomes of it; calls may
      be settled in another order than they came, also after ``End``. A call that is never settled never
      leaves. As soon as a call is complete it is a step: not only at the end of the turn, where the API says
      so earlier.
    - ``End`` once, when every call was a step and what is left is the end of the answer (finish reason, stop
      events). From here on everything is held. The gateway then settles what waits and calls ``end``, at once
      or when upstream is done; or it feeds on until upstream is done, takes ``answer`` and ``usage``, asks
      again and calls ``restart`` for the events of the next answer, which the client reads as more of the
      same message.

    Concatenated, what is released is byte for byte what was fed, as long as every call is settled with None
    and nothing is restarted. After an edit only what has to change is written anew (indexes behind a call
    that was dropped, a finish reason once no call is left).

    ``feed`` raises Unreadable for what is not the API's, such as more of a call that was complete.
    """

    @abstractmethod
    def feed(self, event: Event) -> Iterable[Step]:
        """What the next event of upstream leads to."""

    @abstractmethod
    def settle(self, key: Hashable, edit: Edit | None) -> bytes:
        """Releases a held call as it came (None), rewritten, or as a note in its place."""

    @abstractmethod
    def end(self) -> bytes:
        """The end of the turn and all that came behind it, after ``End`` and when every call was settled;
        what ``feed`` brings from here on (usage, ``[DONE]``) flows. Says that the turn ended by itself where
        no call was released."""

    @abstractmethod
    def answer(self) -> Document:
        """The turn so far as the API's answer without streaming, all calls in it as they came, so that
        ``Api.continued`` takes it; keys of calls are those of the steps."""

    @property
    @abstractmethod
    def usage(self) -> Usage | None:
        """What the events of this turn said about it so far."""

    @property
    @abstractmethod
    def is_single(self) -> bool:
        """As ``Answer.is_single``, of what came so far."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether upstream came to an end that the API knows: the last event it promises, or an error event
        (which is released as it came, and drops what is held). Else the end of the bytes is a broken
        stream."""

    @abstractmethod
    def restart(self) -> None:
        """The next events are a new answer to the continued request: its preamble is dropped, its parts are
        numbered on from what the client has."""


class Api(ABC):
    """One inspected route."""

    @abstractmethod
    def tools(self, request: Document) -> list[Tool]:
        """Every tool that the request lets the model call, hosted ones too. Raises Unreadable."""

    @abstractmethod
    def without(self, request: Document, names: frozenset[str]) -> Document:
        """The request without the tools of these names (``Tool.name``), and without what would refer to them
        (a tool choice, or a list of tools that is empty now)."""

    @abstractmethod
    def model(self, request: Document, segments: tuple[str, ...]) -> str:
        """The model that is asked, from the request or the segments of its path; empty where unknown."""

    def outgoing(self, request: Document, *, is_metered: bool) -> Document:
        """The request as it goes upstream, asked for once per request, before the first answer: with what an
        API has to be asked for so that its answer says its usage, where ``is_metered``; the same object where
        nothing changes. ``stream`` is given the client's own request, and hides what it did not ask for."""
        return request

    @abstractmethod
    def read(self, answer: Any) -> Answer:
        """The calls and the usage of an answer with a status of 2xx. Raises Unreadable."""

    @abstractmethod
    def edited(self, answer: Any, edits: Mapping[Hashable, Edit]) -> Any:
        """The answer with each edit done, by ``ToolCall.key``; a Note also takes away what a hosted call
        returned. Once no call is left, the turn has ended by itself (finish reason)."""

    @abstractmethod
    def continued(self, request: Document, answer: Any, errors: Mapping[Hashable, str]) -> Document:
        """The next request: the same, then the model's turn of ``answer``, then an error as the result of
        each call in ``errors``, which are all calls of the turn that are not hosted. Arguments that were
        malformed are left out of the turn (``{}``), so that upstream takes it. A tool choice that forces a
        call is loosened to the API's default, or the model could not stop."""

    @abstractmethod
    def stream(self, request: Document, *, is_metered: bool) -> Stream:
        """The state machine of one streamed answer to the client's ``request``, as ``outgoing`` sent it."""

    @abstractmethod
    def stream_error(self, code: str, message: str) -> bytes:
        """The event that tells a client, in the middle of a stream, that it failed."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A route that is refused: the model's calls could come out of it and this version cannot judge them
    there. ``why`` is the rest of a sentence (``a batch answers later, where no call can be stopped``)."""

    why: str


class Vendor(ABC):
    """A kind of upstream."""

    #: As in the settings.
    kind: str
    #: Names of query parameters that bring a client's credential: never forwarded,
    #: unless the upstream passes the client's credentials through.
    credential_parameters: tuple[str, ...] = ()

    @abstractmethod
    def client_secret(self, headers: Mapping[bytes, bytes], query: Mapping[str, str]) -> str | None:
        """The secret that a client sends where its library puts the API key. Header names are lower-case."""

    @abstractmethod
    def credential(self, secret: str) -> tuple[bytes, bytes]:
        """The header that authenticates the gateway upstream."""

    @abstractmethod
    def route(self, method: str, segments: tuple[str, ...]) -> Api | Closed | None:
        """What a path is, by its decoded segments (``("v1", "chat", "completions")``; never empty ones, dots
        or slashes; match without regard to case). None passes through uninspected: only what cannot answer
        with a call of the model may, as far as this version knows the API."""

    @abstractmethod
    def error(self, status: int, code: str, message: str, metadata: Mapping[str, object] | None) -> Document:
        """The body of an error as this vendor's clients expect it, with ``code`` and ``metadata`` in it."""
