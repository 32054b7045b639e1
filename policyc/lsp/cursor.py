"""Where the cursor of an editor stands in a YAML or JSON text, also while the text does not parse.

Block structure is told from indentation and flow structure from brackets; quotes, comments and block scalars
are skipped. It is a reading for completion: a text that misleads it costs a suggestion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from policyc.source.diagnostics import JsonPath

_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s\-?:,\[\]{}#&*!|>'"%@`][^:#]*?)\s*:(?=\s|$)""")
_BLOCK_SCALAR = re.compile(r"[|>][+-]?[0-9]?[+-]?\s*(#.*)?$")


@dataclass(frozen=True, slots=True)
class Cursor:
    """``path`` leads to what the cursor is in: where ``on_key``, the mapping in which a key can stand there,
    else the value. On a bare word it may be both. ``prefix`` is what is typed of it."""

    path: JsonPath
    on_key: bool
    on_value: bool
    prefix: str


class _Frame:
    """An open mapping (``key`` is the last one) or list (``index``), in block style with its indentation."""

    __slots__ = ("indent", "index", "is_list", "key")

    def __init__(self, *, is_list: bool, indent: int = -1) -> None:
        self.is_list = is_list
        self.indent = indent
        self.index = 0 if is_list else -1
        self.key: str | None = None

    @property
    def step(self) -> str | int | None:
        return self.index if self.is_list else self.key


def cursor_at(text: str, line: int, column: int) -> Cursor:
    """The cursor before character ``column`` of ``line``, both from 0."""
    lines = text.split("\n")[: line + 1]
    lines[-1] = lines[-1][:column]
    reader = _Reader()
    for number, content in enumerate(lines):
        reader.read_line(content.rstrip("\r"), is_last=number == len(lines) - 1)
    return reader.cursor()


class _Reader:
    def __init__(self) -> None:
        self._blocks: list[_Frame] = []
        self._flows: list[_Frame] = []
        #: Lines deeper than this belong to a block scalar.
        self._scalar_indent: int | None = None
        self._quote: str | None = None
        #: What is written since the last bracket, comma or colon.
        self._word = ""
        self._has_value = False
        self._in_text = False
        #: Where the content of the last line starts.
        self._column = 0

    def read_line(self, line: str, *, is_last: bool) -> None:
        if self._flows:
            self._read_flow(line)
            return
        indent = len(line) - len(line.lstrip(" "))
        rest = line[indent:]
        if self._scalar_indent is not None:
            if not rest or indent > self._scalar_indent:
                self._in_text = True
                return
            self._scalar_indent = None
        self._in_text = False
        if not is_last and (not rest or rest.startswith("#")):
            return
        if rest.startswith("#"):
            self._in_text = True
            return
        self._read_block(indent, rest)

    def _read_block(self, indent: int, rest: str) -> None:
        self._word, self._has_value = "", False
        self._close(indent, is_item=rest.startswith("-"))
        while rest.startswith("- ") or rest == "-":
            self._item(indent)
            inner = rest[1:]
            skipped = len(inner) - len(inner.lstrip(" ")) + 1
            indent, rest = indent + skipped, rest[skipped:]
        self._column = indent
        key = _KEY.match(rest)
        if key is None:
            self._read_value(rest)
            return
        self._mapping(indent).key = _unquoted(key[1])
        self._has_value = True
        self._read_value(rest[key.end() :])

    def _close(self, indent: int, *, is_item: bool) -> None:
        while self._blocks and self._blocks[-1].indent > indent:
            self._blocks.pop()
        # A list may stand at the indentation of the key that it belongs to.
        if self._blocks and self._blocks[-1].is_list and self._blocks[-1].indent == indent and not is_item:
            self._blocks.pop()

    def _item(self, indent: int) -> None:
        top = self._blocks[-1] if self._blocks else None
        if top is not None and top.is_list and top.indent == indent:
            top.index += 1
        else:
            self._blocks.append(_Frame(is_list=True, indent=indent))

    def _mapping(self, indent: int) -> _Frame:
        top = self._blocks[-1] if self._blocks else None
        if top is None or top.is_list or top.indent < indent:
            top = _Frame(is_list=False, indent=indent)
            self._blocks.append(top)
        return top

    def _read_value(self, text: str) -> None:
        value = text.lstrip()
        if _BLOCK_SCALAR.match(value):
            self._scalar_indent = self._blocks[-1].indent if self._blocks else -1
            self._in_text = True
        elif value[:1] in ("{", "["):
            self._read_flow(text)
        else:
            comment = re.search(r"(^|\s)#", text)
            self._in_text = comment is not None
            self._word = text.lstrip()

    def _read_flow(self, text: str) -> None:
        for position, char in enumerate(text):
            if self._quote is not None:
                self._word += char
                self._quote = (
                    None if char == self._quote and text[position - 1 : position] != "\\" else self._quote
                )
            elif char == "#" and (position == 0 or text[position - 1] in " \t"):
                self._in_text = True
                return
            else:
                self._read_flow_character(char, text[position + 1 : position + 2])
        self._in_text = False

    def _read_flow_character(self, char: str, following: str) -> None:
        if char in "'\"" and not self._word.strip():
            self._quote, self._word = char, char
        elif char in "{[":
            self._flows.append(_Frame(is_list=char == "["))
            self._word = ""
        elif char in "}]":
            if self._flows:
                self._flows.pop()
            self._word = ""
        elif char == "," and self._flows:
            self._flows[-1].index += 1
            self._flows[-1].key = None
            self._word = ""
        elif char == ":" and self._ends_key(following):
            self._flows[-1].key = _unquoted(self._word.strip())
            self._word = ""
        else:
            self._word += char

    def _ends_key(self, following: str) -> bool:
        top = self._flows[-1] if self._flows else None
        if top is None or top.is_list or top.key is not None:
            return False
        return following in ("", " ", "\t") or self._word.strip().endswith('"')

    def cursor(self) -> Cursor:
        frames = [*self._blocks, *self._flows]
        prefix = self._word.lstrip()
        if self._in_text:
            return Cursor(_path(frames), False, False, prefix)
        if self._flows:
            top = self._flows[-1]
            on_key = not top.is_list and top.key is None
            path = _path(frames[:-1]) if on_key else _path(frames)
            return Cursor(path, on_key, not on_key, prefix.lstrip("'\""))
        return self._block_cursor(prefix)

    def _block_cursor(self, prefix: str) -> Cursor:
        top = self._blocks[-1] if self._blocks else None
        bare = prefix.lstrip("'\"")
        if top is None or self._has_value:
            return Cursor(_path(self._blocks), not self._has_value, self._has_value, bare)
        # A bare word: the next key of a mapping, or a scalar where a key or an item has no value yet.
        if not top.is_list and self._column <= top.indent:
            return Cursor(_path(self._blocks[:-1]), True, False, bare)
        return Cursor(_path(self._blocks), True, True, bare)


def _path(frames: list[_Frame]) -> JsonPath:
    return tuple(step for frame in frames for step in [frame.step] if step is not None)


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word
