"""JSON text to a document with positions (RFC 8259, strict)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any

from policyc.source.builder import Builder, Unreadable
from policyc.source.diagnostics import Place
from policyc.source.findings import Findings
from policyc.source.nodes import Document, MappingNode, SequenceNode
from policyc.source.scalars import ScalarError, integer, real
from policyc.source.surrogates import has_surrogate

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_CONSTANT = re.compile(r"true|false|null")
_CONSTANTS = {"true": True, "false": False, "null": None}


class NotJSON(ValueError):
    """The text is not JSON: ``place`` and the message say where and why."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place = place


def read_json(text: str, findings: Findings) -> Document | None:
    """The document, or None when it was reported as unusable.

    Raises NotJSON; what was reported until then does not count.
    """
    try:
        return _Reader(text).read(findings)
    except Unreadable:
        return None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]

    def _place(self, offset: int) -> Place:
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def read(self, findings: Findings) -> Document:
        builder = Builder(findings)
        for kind, offset, value in self._events():
            place = self._place(offset)
            if kind == "{":
                builder.open(MappingNode(place))
            elif kind == "[":
                builder.open(SequenceNode(place))
            elif kind == "}":
                builder.close()
            elif kind == "key":
                builder.key(_checked_text(value, place, builder, findings), place)
            elif kind == "text":
                builder.scalar(_checked_text(value, place, builder, findings), place)
            else:
                builder.scalar(_number(value, place, builder, findings) if kind == "number" else value, place)
        return Document(builder.root, self._place(_SPACE.match(self._text).end()))  # type: ignore[union-attr]

    def _events(self) -> Iterator[tuple[str, int, Any]]:
        """``(kind, offset, value)`` of every token that matters, in order. Raises NotJSON."""
        text, skip = self._text, _SPACE.match
        closers: list[str] = []
        at = skip(text, 0).end()  # type: ignore[union-attr]
        while True:
            # A value starts here.
            char = text[at : at + 1]
            if char == '"':
                value, end = self._string(at)
                yield "text", at, value
                at = end
            elif char == "{" or char == "[":
                yield char, at, None
                closer = "}" if char == "{" else "]"
                at = skip(text, at + 1).end()  # type: ignore[union-attr]
                if text[at : at + 1] != closer:
                    closers.append(closer)
                    if closer == "}":
                        key, end = self._key(at)
                        yield "key", at, key
                        at = self._colon(end)
                    continue
                yield "}", at, None
                at += 1
            elif found := _NUMBER.match(text, at):
                yield "number", at, found
                at = found.end()
            elif found := _CONSTANT.match(text, at):
                yield "constant", at, _CONSTANTS[found[0]]
                at = found.end()
            else:
                raise NotJSON(self._place(at), "a value was expected here")
            # A value has ended.
            while True:
                at = skip(text, at).end()  # type: ignore[union-attr]
                char = text[at : at + 1]
                if not closers:
                    if char:
                        raise NotJSON(self._place(at), "the document ended before this")
                    return
                if char == closers[-1]:
                    closers.pop()
                    yield "}", at, None
                    at += 1
                    continue
                if char != ",":
                    raise NotJSON(self._place(at), f"`,` or `{closers[-1]}` was expected here")
                at = skip(text, at + 1).end()  # type: ignore[union-attr]
                if closers[-1] == "}":
                    key, end = self._key(at)
                    yield "key", at, key
                    at = self._colon(end)
                break

    def _string(self, at: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self._text, at + 1, True)
        except JSONDecodeError as error:
            raise NotJSON(self._place(error.pos), error.msg[0].lower() + error.msg[1:]) from None
        return value, end

    def _key(self, at: int) -> tuple[str, int]:
        if self._text[at : at + 1] != '"':
            raise NotJSON(self._place(at), "a key in double quotes was expected here")
        return self._string(at)

    def _colon(self, at: int) -> int:
        at = _SPACE.match(self._text, at).end()  # type: ignore[union-attr]
        if self._text[at : at + 1] != ":":
            raise NotJSON(self._place(at), "`:` was expected here")
        return _SPACE.match(self._text, at + 1).end()  # type: ignore[union-attr]


def _checked_text(text: str, place: Place, builder: Builder, findings: Findings) -> str:
    if has_surrogate(text):
        findings.add("lone_surrogate", place, builder.at, "half of a surrogate pair is no character")
    return text


def _number(found: re.Match[str], place: Place, builder: Builder, findings: Findings) -> int | float | None:
    try:
        return integer(found[0]) if found.group(1, 2) == (None, None) else real(found[0])
    except ScalarError as error:
        findings.add(error.code, place, builder.at, str(error), "quote it if it is meant as text")
        findings.hole(builder.at)
        return None
