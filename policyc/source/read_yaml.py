"""YAML text to a document with positions, from the events of PyYAML (libyaml where it is built in).

Events, not nodes: PyYAML's own composer recurses, applies YAML 1.1 types and merge keys, and keeps the last
of two equal keys.
"""

from __future__ import annotations

from typing import Any

import yaml
from yaml import events

from policyc.source.builder import Builder, Measured, Unreadable
from policyc.source.diagnostics import Place
from policyc.source.findings import Findings
from policyc.source.nodes import Document, MappingNode, SequenceNode
from policyc.source.scalars import ScalarError, resolve
from policyc.source.surrogates import has_surrogate

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str, findings: Findings) -> Document | None:
    """The only document of ``text``, or None when that could not be read; everything wrong is reported."""
    loader = _Loader(text)
    try:
        return _Reader(loader, findings).read()
    except yaml.MarkedYAMLError as error:
        report_syntax(error, text, findings)
    except yaml.YAMLError as error:  # pragma: no cover - decode() has refused what a reader error is about
        findings.add("syntax_error", (1, 1), (), f"not YAML: {error}".splitlines()[0])
    except Unreadable:
        pass
    finally:
        loader.dispose()
    return None


def _place(event: Any) -> Place:
    mark = event.start_mark
    return mark.line + 1, mark.column + 1


class _Reader:
    def __init__(self, loader: Any, findings: Findings) -> None:
        self._next = loader.get_event
        self._findings = findings
        self._builder = Builder(findings)
        self._documents: list[Place] = []
        self._empty = True
        self._handlers: dict[type, Any] = {
            events.ScalarEvent: self._scalar,
            events.MappingStartEvent: self._mapping,
            events.SequenceStartEvent: self._sequence,
            events.MappingEndEvent: self._end,
            events.SequenceEndEvent: self._end,
            events.AliasEvent: self._alias,
            events.DocumentStartEvent: self._document,
        }

    def read(self) -> Document | None:
        handlers, following = self._handlers, self._next
        while (event := following()) is not None and type(event) is not events.StreamEndEvent:
            handler = handlers.get(type(event))
            if handler is not None:
                handler(event)
            if len(self._documents) > 1:
                break
        if self._empty:
            self._findings.add("empty_file", (1, 1), (), "there is nothing in this file")
            return None
        if self._builder.aliases and self._findings.holes:
            return None  # the value that could not be read may be in several places
        return Document(self._builder.root, self._start)

    def _document(self, event: Any) -> None:
        self._documents.append(_place(event))
        if len(self._documents) > 1:
            message = "a second document starts here; a file holds one"
            self._findings.add("several_documents", _place(event), (), message, "put it in a file of its own")

    def _scalar(self, event: Any) -> None:
        builder, place = self._builder, _place(event)
        if self._empty:
            self._begin(place, empty=not event.value and event.implicit[0])
        if event.tag is not None:
            self._refuse_tag(event, place)
        value = event.value
        if event.implicit[0] and event.tag is None:
            if value == "<<" and builder.wants_key:
                self._merge_key(place)
                return
            value = self._resolved(value, place)
        elif event.style == '"' and has_surrogate(value):
            self._findings.add(
                "lone_surrogate", place, builder.at, "half of a surrogate pair is no character"
            )
        if event.anchor is not None:
            builder.anchors[event.anchor] = Measured(value, 1, 0)
        (builder.key if builder.wants_key else builder.scalar)(value, place)

    def _resolved(self, text: str, place: Place) -> Any:
        try:
            return resolve(text)
        except ScalarError as error:
            at = self._builder.at
            self._findings.add(error.code, place, at, str(error), "quote it if it is meant as text")
            self._findings.hole(at)
            return None

    def _merge_key(self, place: Place) -> None:
        at = self._builder.at
        hint = "write the keys out, or share whole values with an anchor and an alias"
        self._findings.add("merge_key", place, at, "merge keys (`<<`) are not part of YAML 1.2", hint)
        self._findings.hole(at)
        self._builder.drop_key()

    def _mapping(self, event: Any) -> None:
        self._open(event, MappingNode(_place(event)))

    def _sequence(self, event: Any) -> None:
        self._open(event, SequenceNode(_place(event)))

    def _open(self, event: Any, container: MappingNode | SequenceNode) -> None:
        if self._empty:
            self._begin(container.place)
        if event.tag is not None:
            self._refuse_tag(event, container.place)
        self._builder.open(container, event.anchor)

    def _end(self, _event: Any) -> None:
        self._builder.close()

    def _alias(self, event: Any) -> None:
        builder, place, name = self._builder, _place(event), event.anchor
        if self._empty:
            self._begin(place)
        if name in builder.open_anchors:
            self._findings.add(
                "recursive_alias", place, builder.at, f"`*{name}` stands for a value that contains it"
            )
            builder.unknown(place)
        elif name not in builder.anchors:
            message = f"nothing above is anchored as `&{name}`"
            hint = "a value that starts with `*` must be quoted"
            self._findings.add("unknown_alias", place, builder.at, message, hint)
            builder.unknown(place)
        else:
            builder.alias(builder.anchors[name], place)

    def _refuse_tag(self, event: Any, place: Place) -> None:
        at = self._builder.at
        hint = "remove it; quote a value that is meant as text"
        self._findings.add("explicit_tag", place, at, f"the tag `{event.tag}` is not taken", hint)
        self._findings.hole(at)

    def _begin(self, place: Place, *, empty: bool = False) -> None:
        self._start = place
        self._empty = empty


# Syntax errors --------------------------------------------------------------------------------------

_HINTS = (
    ("while scanning an alias", None, "a value that starts with `*` must be quoted: '*.read'"),
    ("while scanning an anchor", None, "a value that starts with `&` must be quoted"),
    ("cannot start any token", "\t", "indent with spaces, not with tabs"),
    ("cannot start any token", "@`%", "a value that starts with this character must be quoted"),
    ("tab character", None, "indent with spaces, not with tabs"),
    (
        "unknown escape character",
        None,
        "in double quotes a backslash is an escape; write regexes in 'single quotes'",
    ),
    ("invalid Unicode character escape", None, "write the character itself instead of a surrogate pair"),
    (
        "mapping values are not allowed",
        None,
        "a value that contains `: ` must be quoted; or the indentation is off",
    ),
    ("could not find expected ':'", None, "a key is followed by `: `; or the indentation is off"),
    ("did not find expected key", None, "the indentation is off, or a quote or bracket is not closed"),
    ("did not find expected '-' indicator", None, "every item of a list starts with `- ` in the same column"),
)


def report_syntax(error: yaml.MarkedYAMLError, text: str, findings: Findings) -> None:
    """Report what PyYAML could not parse, with a hint where the cause is a common one."""
    mark: Any = error.problem_mark or error.context_mark
    place = (1, 1) if mark is None else (mark.line + 1, mark.column + 1)
    problem = error.problem or "it cannot be parsed"
    said = f"{error.context or ''} {problem}"
    lines = text.split("\n")
    line = lines[place[0] - 1] if place[0] <= len(lines) else ""
    char = line[place[1] - 1 : place[1]]
    hint = next(
        (hint for words, chars, hint in _HINTS if words in said and (not chars or (char and char in chars))),
        None,
    )
    context = f" ({error.context})" if error.context else ""
    findings.add("syntax_error", place, (), f"not YAML: {problem}{context}", hint)
