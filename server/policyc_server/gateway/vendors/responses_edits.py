"""Output items of OpenAI responses after an edit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policyc_server.gateway.documents import write_answer
from policyc_server.gateway.vendors.responses_calls import kind_of, result_of
from policyc_server.gateway.vendors.vendor import Document, Edit, Note

_CANNOT_CHANGE = (
    "The call was stopped: its arguments would have to be rewritten, which this kind of call has no way for."
)


def note_item(text: str, key: object) -> Document:
    """A message of the assistant in the place of a call."""
    content = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    message = {"type": "message", "role": "assistant", "status": "completed", "content": [content]}
    return {"id": f"msg_policyc_{key}", **message}


def edited_item(item: Document, edit: Edit, key: object) -> Document:
    """The item with new arguments, or a message in its place."""
    if isinstance(edit, Note):
        return note_item(edit.text, key)
    rewritten = kind_of(item).rewritten
    if rewritten is None:
        return note_item(_CANNOT_CHANGE, key)
    return rewritten(item, edit.arguments, write_answer(edit.arguments).decode())


def results(items: Mapping[int, Document], edits: Mapping[Any, Edit]) -> list[Document]:
    """The input items that answer the calls which became notes."""
    found: list[Document] = []
    for key, edit in edits.items():
        refused = kind_of(items[key]).refused
        if isinstance(edit, Note) and refused is not None:
            found += refused(items[key], edit.text)
    return found


def with_edits(output: list[Document], edits: Mapping[Any, Edit]) -> list[Document]:
    """The output with each edit done, and without what hosted calls that became notes returned."""
    noted = {key: output[key] for key, edit in edits.items() if isinstance(edit, Note)}
    return [
        edited_item(item, edits[key], key) if key in edits else item
        for key, item in enumerate(output)
        if result_of(item, noted) is None
    ]
