"""The clause as the engine takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from policyc.compiler.clause_values import CHECKS
from policyc.compiler.jsonpath import JSONPathError, compile_path
from policyc.compiler.patterns import written_if_sound, written_value
from policyc.engine.model import PERMITTING
from policyc.engine.operators import OPERATORS
from policyc.source.diagnostics import JsonPath, Place
from policyc.source.findings import Findings
from policyc.source.nodes import Document

_UNSURE = tuple(op for op, operator in OPERATORS.items() if operator.may_be_unknown)


@dataclass(frozen=True, slots=True)
class Reference:
    """A ``{from: name}`` that is a clause's value, or that of a ``key`` in it: what is needed to fill it in
    and to report on it later."""

    clause: int
    op: str
    key: str | None
    name: str
    place: Place
    at: JsonPath


def lower_clause(
    clause: dict[str, Any], verdict: str, number: int, at: JsonPath, document: Document, findings: Findings
) -> tuple[dict[str, Any], list[Reference]]:
    """The clause as the engine takes it, and what of its value is still to be filled in."""
    op, path = clause["op"], clause["path"]
    lowered = {
        "path": path,
        "steps": lower_path(path, at, document, findings),
        "op": op,
        "value": clause.get("value", True if op == "exists" else None),
        "not": clause.get("not", False),
        "on_missing": clause.get("on_missing", "no_match"),
        "match": clause.get("match", "all" if verdict in PERMITTING else "any"),
    }
    if "unknown" in clause:
        lowered["unknown"] = clause["unknown"]
        _check_unknown(op, (*at, "unknown"), document, findings)
    if op == "exists":
        _check_exists(clause, at, document, findings)
    elif "value" not in clause:
        findings.add(
            "missing_key", document.place_of(at), at, "`value` is missing", f"`{op}` compares with a value"
        )
        return lowered, []
    return lowered, _value(lowered, number, (*at, "value"), document, findings)


def _check_unknown(op: str, at: JsonPath, document: Document, findings: Findings) -> None:
    if op not in _UNSURE:
        message = f"`{op}` always knows: its answer is never unknown"
        hint = f"remove it; it is for {', '.join(f'`{name}`' for name in _UNSURE)}"
        findings.add("never_unknown", document.place_of(at, key=True), at, message, hint)


def _check_exists(clause: dict[str, Any], at: JsonPath, document: Document, findings: Findings) -> None:
    for key in ("on_missing", "match"):
        if key in clause:
            place = document.place_of((*at, key), key=True)
            findings.add("no_effect", place, (*at, key), f"`{key}` has no effect on `exists`", "remove it")


def lower_path(path: str, at: JsonPath, document: Document, findings: Findings) -> list[Any]:
    """The steps of the JSONPath of the clause at ``at``; none where it is reported as bad."""
    try:
        return compile_path(path)
    except JSONPathError as error:
        findings.add("bad_jsonpath", document.place_of((*at, "path")), (*at, "path"), str(error), error.hint)
        return []


def _value(
    lowered: dict[str, Any], number: int, at: JsonPath, document: Document, findings: Findings
) -> list[Reference]:
    op, value = lowered["op"], lowered["value"]
    if _is_reference(value):
        return [_reference(number, op, None, value, at, document)]
    if isinstance(value, dict) and op != "shell" and ("from" in value or op != "eq"):
        message = "a mapping as `value` must be `{from: name}`, with a name of values.yaml"
        findings.add("bad_value_reference", document.place_of(at), at, message)
        return []
    references = []
    if isinstance(value, dict):
        references = [
            _reference(number, op, key, item, (*at, key), document)
            for key, item in value.items()
            if _is_reference(item)
        ]
    filled_later = {reference.key for reference in references}
    now = {key: item for key, item in value.items() if key not in filled_later} if references else value
    if now or not references:
        _check(op, now, at, document, findings)
    lowered["value"] = written_value(op, _plain(value), written_if_sound)
    return references


def _check(op: str, value: Any, at: JsonPath, document: Document, findings: Findings) -> None:
    for remark in CHECKS[op](op, value):
        where = (*at, *remark.below)
        place = document.place_of(where, key=remark.on_key)
        findings.add(remark.code, place, where, remark.message, remark.hint)


def _is_reference(value: Any) -> bool:
    return isinstance(value, dict) and list(value) == ["from"] and isinstance(value["from"], str)


def _reference(
    number: int, op: str, key: str | None, value: Any, at: JsonPath, document: Document
) -> Reference:
    return Reference(number, op, key, value["from"], document.place_of((*at, "from")), (*at, "from"))


def _plain(value: Any) -> Any:
    """The value without its places."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
