"""One source file in the one form, held to mean what it meant."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from yaml import events

from policyc.formatting.comments import lift
from policyc.formatting.compose import comments_of, compose
from policyc.formatting.layout import comment_lines, lines_of
from policyc.formatting.nodes import Comment, Node
from policyc.formatting.order import arrange
from policyc.source.decode import decode
from policyc.source.diagnostics import Diagnostic
from policyc.source.findings import Findings
from policyc.source.nodes import Document
from policyc.source.read import read_document
from policyc.source.read_json import NotJSON, read_json

_LINE_END = re.compile("\r\n|\r|\n")
#: Keys that only one kind of file has.
_TOLD_BY = {
    "rules": "policy",
    "default_verdict": "policy",
    "include": "policy",
    "tests": "test",
    "bundle": "bundle",
}
#: What belongs to the top of a file whatever comes first in it.
_MODELINE = re.compile(r"# yaml-language-server:")


@dataclass(frozen=True, slots=True)
class Formatted:
    """``content`` is the file in the one form. It is the file itself where that is JSON, where it cannot be
    read (``diagnostics`` say why), or where it would say something else laid out anew (``refused``)."""

    content: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    refused: bool = False


def format_source(path: str, data: bytes) -> Formatted:
    """The file ``path`` (relative to its bundle) with the content ``data``.

    What comes back has the same values, the same order of rules and the same comments: this is looked up each
    time, and a file that would lose any of them is left as it is.
    """
    document, findings = read_document(path, data)
    if document is None or findings.errors:
        return Formatted(data, findings.diagnostics)
    text = decode(data, findings)
    assert text is not None
    if not isinstance(document.root, (dict, list)) or not document.root or _is_json(text):
        return Formatted(data)
    laid_out = _format(_LINE_END.sub("\n", text), _schema(path, document))
    content = _encoded(laid_out, data, text)
    if not _is_same(path, document, data, content):
        return Formatted(data, refused=True)
    return Formatted(content)


def _format(text: str, schema: str | None) -> str:
    root, outside = compose(text)
    header = _header(root)
    set_off = bool(header) and root.entries[0].blank_above
    arrange(root, schema, reorder=not _has_alias(root))
    lift(root)
    lines = [*_directives(text), *comment_lines(header, 0)]
    if set_off:
        lines.append("")
    lines += lines_of(root)
    lines += comment_lines(outside, 0)
    return "\n".join(lines) + "\n"


def _header(root: Node) -> list[Comment]:
    """Takes the comments that are about the file from the first key: it may not be the first for long."""
    if not root.entries:
        return []
    leading = root.entries[0].leading
    blanks = [*(comment.blank for comment in leading[1:]), root.entries[0].blank]
    place = max(
        (number for number, blank in enumerate(blanks, 1) if blank and number <= len(leading)), default=0
    )
    while place < len(leading) and _MODELINE.match(leading[place].text):
        place += 1
    root.entries[0].leading = leading[place:]
    return leading[:place]


def _directives(text: str) -> list[str]:
    """What stands before a document that says where it begins."""
    parsed: Iterator[Any] = yaml.parse(text, Loader=yaml.SafeLoader)
    event: Any = next(it for it in parsed if isinstance(it, events.DocumentStartEvent))
    if not event.explicit:
        return []
    return [*(line for line in text[: event.end_mark.index].split("\n") if line.startswith("%")), "---"]


def _has_alias(node: Node) -> bool:
    return node.kind == "alias" or any(_has_alias(entry.value) for entry in node.entries)


def _schema(path: str, document: Document) -> str | None:
    name = path.rpartition("/")[2]
    if name in ("bundle.yaml", "values.yaml"):
        return name.removesuffix(".yaml")
    root = document.root
    if isinstance(root, list):
        return "policy"
    return next((kind for key, kind in _TOLD_BY.items() if key in root), None)


def _is_json(text: str) -> bool:
    try:
        return read_json(text, Findings("")) is not None
    except NotJSON:
        return False


def _encoded(laid_out: str, data: bytes, text: str) -> bytes:
    """With the file's own line ends and byte order mark."""
    ends = _LINE_END.search(text)
    content = laid_out.replace("\n", "\r\n" if ends is not None and ends[0] == "\r\n" else "\n").encode()
    return codecs.BOM_UTF8 + content if data.startswith(codecs.BOM_UTF8) else content


def _is_same(path: str, document: Document, data: bytes, content: bytes) -> bool:
    after, findings = read_document(path, content)
    return (
        after is not None
        and not findings.errors
        and _facts(after.root) == _facts(document.root)
        and _said(content) == _said(data)
    )


def _facts(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _said(data: bytes) -> list[str]:
    text = _LINE_END.sub("\n", data.decode("utf-8-sig"))
    return sorted(comments_of(text))
