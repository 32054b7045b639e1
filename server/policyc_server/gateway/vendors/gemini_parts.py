"""Calls among the parts of a Gemini answer. https://ai.google.dev/api/caching#Part"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from policyc_server.gateway.vendors.gemini_names import key_of, listed, snake, value_of
from policyc_server.gateway.vendors.shapes import as_object
from policyc_server.gateway.vendors.vendor import NAMELESS, Document, Edit, Note, Rewrite, ToolCall

#: A candidate by its index, and a part of it by its number over all that came of the answer.
Key = tuple[int, int]

_CALL = "function_call"
_SIGNATURE = "thought_signature"
#: Keys of a part that ask for nothing.
_INERT = frozenset(
    {
        *("text", "thought", _SIGNATURE, "inline_data", "file_data", "function_response", "tool_response"),
        *("code_execution_result", "video_metadata", "part_metadata", "media_resolution", "media_processing"),
        *("audio_transcription", "audio_metadata", "speech_metadata", "document_metadata"),
        "spreadsheet_metadata",
    }
)
_CANNOT_CHANGE = (
    "The call was stopped: its arguments would have to be rewritten, and this kind of call cannot be."
)
#: What a hosted call returned, by the key of that call.
_RESULTS = {"executable_code": "code_execution_result", "tool_call": "tool_response"}


def candidates_of(answer: Document) -> list[Document]:
    """Raises Unreadable."""
    return listed(value_of(answer, "candidates"), "a candidate")


def parts_of(candidate: Document) -> list[Document]:
    """Raises Unreadable."""
    content = value_of(candidate, "content")
    return [] if content is None else listed(value_of(as_object(content, "a content"), "parts"), "a part")


def index_of(candidate: Document) -> int:
    """Which of several candidates this is; the first needs no index."""
    index = candidate.get("index")
    return index if isinstance(index, int) else 0


def with_parts(candidate: Document, parts: list[Document]) -> Document:
    where = key_of(candidate, "content") or "content"
    content = candidate.get(where) or {}
    rest = {key: value for key, value in content.items() if snake(key) != "parts"}
    return {**candidate, where: {**rest, "parts": parts}}


def call_of(part: Document, key: Key) -> ToolCall | None:
    """The call that ``part`` is; None where it asks for nothing. A part of an unknown kind is a call too."""
    name = key_of(part, _CALL)
    if name is not None:
        return _function(as_object(part[name], "a function call"), key)
    kinds = [name for name in part if snake(name) not in _INERT]
    return _hosted(snake(kinds[0]), part[kinds[0]], key) if kinds else None


def _function(call: Document, key: Key) -> ToolCall:
    name, args = value_of(call, "name"), value_of(call, "args")
    is_partial = any(snake(name) in ("partial_args", "will_continue") for name in call)
    raw = {} if args is None else args
    is_read = isinstance(raw, dict) and not is_partial
    return ToolCall(key, name if isinstance(name, str) and name else NAMELESS, raw if is_read else None)


def _hosted(kind: str, value: Any, key: Key) -> ToolCall:
    """A call that nobody but the vendor carries out."""
    made = value if isinstance(value, dict) else None
    if kind == "executable_code":
        return ToolCall(key, "code_execution", made, is_hosted=True)
    if kind == "tool_call" and made is not None:
        args = value_of(made, "args")
        name = str(value_of(made, "tool_type") or NAMELESS)
        return ToolCall(key, name.lower(), args if isinstance(args, dict) else None, is_hosted=True)
    return ToolCall(key, kind, None, is_hosted=True)


def signature_of(part: Document) -> Any:
    return value_of(part, _SIGNATURE)


class Editor:
    """Edits the parts of an answer as they go to the client, in that order.

    The signature of a function call that becomes a text goes on to the next call, since the vendor asks for
    one on the first call of a turn; and what a hosted call returned goes with the call."""

    def __init__(self, edits: Mapping[Any, Edit]) -> None:
        self._edits = edits
        #: By candidate: a signature that waits for a call.
        self.carried: dict[int, Any] = {}
        self._dropped: dict[int, str] = {}

    @property
    def is_idle(self) -> bool:
        """Whether a part without an edit of its own would stay as it is."""
        return not self.carried and not self._dropped

    def parts(self, index: int, numbered: Iterable[tuple[Key, Document]]) -> list[Document]:
        """These parts of candidate ``index``, edited; the same objects where nothing changes."""
        return [new for key, part in numbered if (new := self._part(index, key, part)) is not None]

    def _part(self, index: int, key: Key, part: Document) -> Document | None:
        if key_of(part, self._dropped.pop(index, "")) is not None:
            return None
        edit = self._edits.get(key)
        if isinstance(edit, Note):
            return self._noted(index, part, edit)
        found = _rewritten(part, edit) if isinstance(edit, Rewrite) else part
        if key_of(found, _CALL) is None:
            return found
        carried = self.carried.pop(index, None)
        is_signed = carried is None or signature_of(found) is not None
        return found if is_signed else {**found, "thoughtSignature": carried}

    def _noted(self, index: int, part: Document, note: Note) -> Document:
        for name in map(snake, part):
            if name in _RESULTS:
                self._dropped[index] = _RESULTS[name]
        signature = signature_of(part)
        if signature is None:
            return {"text": note.text}
        self.carried.setdefault(index, signature)
        return {"text": note.text, "thoughtSignature": signature}


def _rewritten(part: Document, edit: Rewrite) -> Document:
    """A function call with other arguments; another call cannot have them and becomes a text."""
    name = key_of(part, _CALL)
    if name is None:
        return {"text": _CANNOT_CHANGE}
    rest = {key: value for key, value in part[name].items() if snake(key) != "args"}
    return {**part, name: {**rest, "args": edit.arguments}}
