"""``values.yaml``: named values for clauses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from policyc.source.diagnostics import Diagnostic, Place, touches
from policyc.source.read import read_document
from policyc.source.schema import shape


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value and where it is written."""

    value: Any
    place: Place


@dataclass(frozen=True, slots=True)
class ValuesFile:
    """The values by name, None for one of a wrong shape; ``complete`` unless names could not be read."""

    path: str
    values: Mapping[str, NamedValue | None]
    complete: bool
    diagnostics: tuple[Diagnostic, ...]


def read_values_file(path: str, data: bytes) -> ValuesFile:
    """The values in ``data``. Never raises; what is wrong is in its diagnostics."""
    document, findings = read_document(path, data)
    if document is None:
        return ValuesFile(path, {}, findings.has("empty_file"), _but_empty(findings.diagnostics))
    wrong = shape("values").report(document.root, document, (), findings)
    values: dict[str, NamedValue | None] = {}
    root = document.root if isinstance(document.root, dict) else {}
    for name, value in root.items():
        plain = list(value) if isinstance(value, list) else value
        place = document.place_of((name,), key=True)
        values[name] = None if touches(wrong, (name,)) else NamedValue(plain, place)
    complete = root is document.root and not findings.holes
    return ValuesFile(path, values, complete, findings.diagnostics)


def _but_empty(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """An empty file is no value, which is fine here."""
    return tuple(found for found in diagnostics if found.code != "empty_file")
