"""One choice of a streamed chat completion, put together from its deltas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from policyc_server.gateway.vendors.openai_chat_calls import (
    BODY,
    ENTRY,
    FUNCTION_CALL,
    TOOL_CALLS,
    Key,
    call_keys,
    tool_call,
)
from policyc_server.gateway.vendors.shapes import as_list, as_object
from policyc_server.gateway.vendors.vendor import (
    MOST_CALLS,
    Document,
    Edit,
    Note,
    ToolCall,
    Unreadable,
)

_BODIES = {"function": "arguments", "custom": "input"}


class CallParts:
    """One call, put together. What readers of a stream could understand in two ways makes it unreadable."""

    def __init__(self, key: Key, index: int) -> None:
        self.key = key
        self.index = index
        self.is_complete = False
        self.is_settled = False
        self.is_written = False
        self.edit: Edit | None = None
        #: Its index as the client sees it.
        self.slot = index
        self._names: list[str] = []
        self._texts: list[str] = []
        self._entry: Document = {}
        self._is_readable = True

    @property
    def is_as_it_came(self) -> bool:
        return self.edit is None and self.slot == self.index

    def add(self, entry: Document) -> None:
        """More of it, as a part of `tool_calls`. Raises Unreadable."""
        for name, value in entry.items():
            if name in _BODIES:
                self._add_body(name, as_object(value or {}, name, *BODY))
            elif name != "index" and value is not None and self._entry.setdefault(name, value) != value:
                raise Unreadable("a call changes what it is")

    def _add_body(self, kind: str, body: Document) -> None:
        self._entry.setdefault(kind, {})
        name, text = body.get("name"), body.get(_BODIES[kind])
        if isinstance(name, str) and name:
            self._names.append(name)
        if isinstance(text, str):
            self._texts.append(text)
        elif text is not None:
            self._is_readable = False

    def entry(self) -> Document:
        """The call as an entry of `tool_calls` without streaming."""
        bodies = {
            kind: {"name": "".join(self._names), text: "".join(self._texts)}
            for kind, text in _BODIES.items()
            if kind in self._entry
        }
        return self._entry | bodies

    def call(self) -> ToolCall:
        if self.key[1] not in (TOOL_CALLS, FUNCTION_CALL):
            return ToolCall(self.key, self.key[1], None)
        # Readers either join a second name to the first or replace it.
        found = tool_call(self.entry(), self.key)
        return found if self._is_readable and len(self._names) == 1 else replace(found, raw=None)


class Choice:
    """What a choice came to in this turn, and what the client has of its message over all turns."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.has_role = False
        self.has_text = False
        self._slots = 0
        self.restart()

    def restart(self) -> None:
        self.calls: list[CallParts] = []
        self._said: dict[str, list[Any]] = {}
        self.finish_reason: object = None
        #: The client has text of an earlier turn that this turn's text would run into.
        self.needs_gap = self.has_text
        #: The client has the role of an earlier turn; some readers would join a second one to it.
        self.needs_no_role = self.has_role

    def add(self, delta: Document) -> tuple[list[CallParts], list[CallParts]]:
        """Takes a delta. Returns the calls that it has parts of, and those that are complete by it. Raises
        Unreadable."""
        self._say(delta)
        touched: list[CallParts] = []
        complete: list[CallParts] = []
        for where, index, entry in _parts(delta):
            if self.finish_reason is not None:
                raise Unreadable("a call comes after the end of its choice")
            found = self._find(where, index)
            if found is None:
                # A model makes one call after the other: the next one begins where the last is complete.
                complete += self._completed()
                if len(self.calls) == MOST_CALLS:
                    raise Unreadable("there are more calls than any model makes")
                found = CallParts((self.number, where, self._count(where)), index)
                self.calls.append(found)
            elif found.is_complete:
                raise Unreadable("a call goes on after its end")
            found.add(entry)
            touched += [] if found in touched else [found]
        return touched, complete

    def finish(self, reason: object) -> list[CallParts]:
        """Ends the choice. Returns the calls that are complete by that."""
        self.finish_reason = reason
        return self._completed()

    def settle(self, call: CallParts, edit: Edit | None) -> None:
        call.is_settled, call.edit = True, edit
        if not isinstance(edit, Note) and call.key[1] == TOOL_CALLS:
            call.slot = self._slots
            self._slots += 1

    @property
    def is_known(self) -> bool:
        """Whether every call is of a kind that a result can be given for."""
        return all(call.key[1] in (TOOL_CALLS, FUNCTION_CALL) for call in self.calls)

    @property
    def has_lost_its_calls(self) -> bool:
        return bool(self.calls) and all(isinstance(call.edit, Note) for call in self.calls)

    def find(self, part: Document, where: str) -> CallParts:
        """The call that a part of a delta belongs to."""
        index = part["index"] if where == TOOL_CALLS else 0
        found = self._find(where, index)
        assert found is not None
        return found

    def answer(self) -> Document:
        """The choice without streaming."""
        message: Document = {"role": "assistant", "content": None}
        message |= {key: _joined(pieces) for key, pieces in self._said.items()}
        for call in self.calls:
            where = call.key[1]
            if where == TOOL_CALLS:
                message[where] = [*message.get(where, ()), call.entry()]
            elif where == FUNCTION_CALL:
                message[where] = call.entry()["function"]
        return {"index": self.number, "message": message, "finish_reason": self.finish_reason}

    def _say(self, delta: Document) -> None:
        """Takes what is no call."""
        for key, value in delta.items():
            if "call" not in key.casefold() and key != "role" and value is not None:
                self._said.setdefault(key, []).append(value)

    def _find(self, where: str, index: int) -> CallParts | None:
        return next((one for one in self.calls if one.key[1] == where and one.index == index), None)

    def _count(self, where: str) -> int:
        return sum(1 for call in self.calls if call.key[1] == where)

    def _completed(self) -> list[CallParts]:
        found = [call for call in self.calls if not call.is_complete]
        for call in found:
            call.is_complete = True
        return found


def _parts(delta: Document) -> Iterator[tuple[str, int, Document]]:
    """The parts of calls in a delta: where each stands, its index there, and it as a part of `tool_calls`."""
    for where in call_keys(delta):
        if where == TOOL_CALLS:
            for part in as_list(delta[where], where):
                entry = as_object(part, "a call", *ENTRY)
                yield where, index_of(entry, "a call"), entry
        else:
            yield where, 0, {"function": delta[where]} if where == FUNCTION_CALL else {}


def _joined(pieces: list[Any]) -> Any:
    """What the pieces of one key of deltas come to."""
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces)
    if all(isinstance(piece, list) for piece in pieces):
        return [item for piece in pieces for item in piece]
    return pieces[-1]


def index_of(document: Document, what: str) -> int:
    """The index by which clients put parts together. Raises Unreadable where there is none to go by."""
    index = document.get("index")
    if not isinstance(index, int) or isinstance(index, bool):
        raise Unreadable(f"{what} has no index")
    return index
