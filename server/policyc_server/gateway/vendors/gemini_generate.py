"""Gemini `generateContent` and `streamGenerateContent`. https://ai.google.dev/api/generate-content

Without `alt=sse` a streamed answer is one JSON array of answers, which is read as a whole.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from policyc.engine.documents import Malformed
from policyc_server.gateway.documents import arguments_of, write_answer
from policyc_server.gateway.sse import write_event
from policyc_server.gateway.vendors.gemini_names import key_of, listed, snake, value_of
from policyc_server.gateway.vendors.gemini_parts import (
    Editor,
    Key,
    call_of,
    candidates_of,
    index_of,
    parts_of,
    with_parts,
)
from policyc_server.gateway.vendors.gemini_stream import GeminiStream
from policyc_server.gateway.vendors.gemini_tools import advertised, loosened, without
from policyc_server.gateway.vendors.gemini_usage import usage_of
from policyc_server.gateway.vendors.shapes import as_object
from policyc_server.gateway.vendors.vendor import Answer, Api, Document, Edit, Stream, Tool


class Generate(Api):
    """The model's answer, in one piece or streamed."""

    def tools(self, request: Document) -> list[Tool]:
        return advertised(request)

    def without(self, request: Document, names: frozenset[str]) -> Document:
        return without(request, names)

    def model(self, request: Document, segments: tuple[str, ...]) -> str:
        return segments[-1].rpartition(":")[0]

    def read(self, answer: Any) -> Answer:
        numbered = [found for _, parts in _numbered(answer) for found in parts]
        calls = [call for key, part in numbered if (call := call_of(part, key)) is not None]
        usages = [usage for chunk in _chunks(answer) if (usage := usage_of(chunk)) is not None]
        is_single = all(key[0] == 0 for key, _ in numbered)
        return Answer(tuple(calls), usages[-1] if usages else None, is_single)

    def edited(self, answer: Any, edits: Mapping[Hashable, Edit]) -> Any:
        editor = Editor(edits)
        places = _numbered(answer)
        chunks = [
            {**chunk, key: [_edited(candidate, *next(places), editor) for candidate in candidates_of(chunk)]}
            if (key := key_of(chunk, "candidates")) is not None
            else chunk
            for chunk in _chunks(answer)
        ]
        return chunks if isinstance(answer, list) else chunks[0]

    def continued(self, request: Document, answer: Any, errors: Mapping[Hashable, str]) -> Document:
        numbered = [found for _, parts in _numbered(answer) for found in parts]
        turn = [_resent(part, key) for key, part in numbered if part != {"text": ""}]
        told = [_told(part, errors[key]) for key, part in numbered if key in errors]
        asked = loosened(request)
        key = key_of(asked, "contents") or "contents"
        contents = listed(asked.get(key), "a content")
        return {
            **asked,
            key: [*contents, {"role": "model", "parts": turn}, {"role": "user", "parts": told}],
        }

    def stream(self, request: Document, *, is_metered: bool) -> Stream:
        config = value_of(request, "generation_config")
        count = value_of(config, "candidate_count") if isinstance(config, dict) else None
        return GeminiStream(count if isinstance(count, int) else 1)

    def stream_error(self, code: str, message: str) -> bytes:
        error = {"code": 502, "message": f"{message} ({code})", "status": "UNAVAILABLE"}
        return write_event(write_answer({"error": error}).decode())


def _chunks(answer: Any) -> list[Document]:
    return [as_object(chunk, "the answer") for chunk in (answer if isinstance(answer, list) else [answer])]


def _numbered(answer: Any) -> Iterator[tuple[int, list[tuple[Key, Document]]]]:
    """Each candidate in the order of the answer: its index, and its parts by their keys."""
    counts: dict[int, int] = {}
    for chunk in _chunks(answer):
        for candidate in candidates_of(chunk):
            index, parts = index_of(candidate), parts_of(candidate)
            start = counts.get(index, 0)
            counts[index] = start + len(parts)
            yield index, [((index, start + number), part) for number, part in enumerate(parts)]


def _edited(candidate: Document, index: int, parts: list[tuple[Key, Document]], editor: Editor) -> Document:
    return with_parts(candidate, editor.parts(index, parts)) if parts else candidate


def _resent(part: Document, key: Key) -> Document:
    """A part as it goes back: without arguments that nobody could read."""
    call = call_of(part, key)
    name = key_of(part, "function_call")
    if call is None or name is None or not isinstance(arguments_of(call.raw), Malformed):
        return part
    return {
        **part,
        name: {**{at: v for at, v in part[name].items() if snake(at) in ("id", "name")}, "args": {}},
    }


def _told(part: Document, text: str) -> Document:
    """The result of a function call that was blocked."""
    call = value_of(part, "function_call")
    made = value_of(call, "id")
    named = {"name": value_of(call, "name") or ""} | ({} if made is None else {"id": made})
    return {"functionResponse": {**named, "response": {"error": text}}}
