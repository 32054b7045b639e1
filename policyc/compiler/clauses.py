"""Clauses: the checks of each operator's value in one table, and the clause as the engine takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from policyc.compiler.jsonpath import JSONPathError, compile_path
from policyc.engine.addresses import AddressError, parse_network
from policyc.engine.model import PASSING
from policyc.engine.operators import OPERATORS
from policyc.source.diagnostics import JsonPath, Place
from policyc.source.findings import Findings
from policyc.source.nodes import Document


@dataclass(frozen=True, slots=True)
class Remark:
    """What there is to say about a value: an error when the engine refuses it, else a warning."""

    code: str
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A clause whose value is ``{from: name}``: what is needed to fill it in and to report on it later."""

    clause: int
    op: str
    name: str
    place: Place
    at: JsonPath


# What each operator says about its value ------------------------------------------------------------


def _refused(code: str) -> Callable[[str, Any], Iterator[Remark]]:
    """The engine's own check, under ``code``."""

    def check(op: str, value: Any) -> Iterator[Remark]:
        problem = OPERATORS[op].check(value)
        if problem is not None:
            yield Remark(code, f"`{op}` {problem}", _hint(op, value))

    return check


def _hint(op: str, value: Any) -> str | None:
    if op == "in" and not isinstance(value, (list, dict)):
        return (
            f"write a list: [{value}]"
            if isinstance(value, (str, int)) and not isinstance(value, bool)
            else None
        )
    if op == "eq" and isinstance(value, list):
        return "use `in` for one of several values"
    if op in ("gt", "gte", "lt", "lte") and isinstance(value, str):
        return "write the number without quotes"
    if op in ("contains", "starts_with", "ends_with") and not isinstance(value, (list, dict)):
        return "quote it if it is meant as text"
    return None


def _text(op: str, value: Any) -> Iterator[Remark]:
    yield from _refused("needs_string")(op, value)
    if value == "":
        yield Remark(
            "matches_every_text", f"every string matches `{op}` with an empty string", "use `exists`"
        )


def _regex(op: str, value: Any) -> Iterator[Remark]:
    if not isinstance(value, str) or value == "":
        yield from _text(op, value)
        return
    problem = OPERATORS[op].check(value)
    if problem is not None:
        yield Remark("bad_regex", f"the pattern cannot be used: {problem}", _regex_hint(problem))


def _regex_hint(problem: str) -> str:
    if "look" in problem:
        return "split it: a second clause on the same path, with `not: true` for what must not be there"
    if "backreference" in problem:
        return "write out what may repeat"
    return "the syntax is RE2's: github.com/google/re2/wiki/Syntax"


def _in(op: str, value: Any) -> Iterator[Remark]:
    yield from _refused("in_needs_list")(op, value)
    if value == []:
        yield Remark(
            "in_list_empty", "nothing is in an empty list", "list what is meant, or remove the clause"
        )


def _cidr(op: str, value: Any) -> Iterator[Remark]:
    blocks = value if isinstance(value, list) and value else [value]
    for block in blocks:
        problem = OPERATORS[op].check(block)
        if problem is not None:
            shown = f"`{block}`: " if isinstance(block, str) else ""
            message = f"{shown}{problem}" if shown else f"`{op}` {problem}"
            yield Remark("bad_cidr", message, "write an address and a prefix length, such as 10.0.0.0/8")
        elif parse_network(block).host_bits_set:
            yield Remark(
                "cidr_host_bits", f"`{block}` has bits set behind its prefix", _without_host_bits(block)
            )


def _without_host_bits(block: str) -> str | None:
    import ipaddress

    try:
        return f"it is the block {ipaddress.ip_network(block, strict=False)}"
    except (ValueError, AddressError):  # IPv4-mapped forms that the standard library reads otherwise
        return None


CHECKS: dict[str, Callable[[str, Any], Iterator[Remark]]] = {
    "eq": _refused("eq_needs_scalar"),
    "contains": _text,
    "starts_with": _text,
    "ends_with": _text,
    "regex": _regex,
    "in": _in,
    "cidr_match": _cidr,
    **dict.fromkeys(("gt", "gte", "lt", "lte"), _refused("needs_number")),
    "exists": _refused("needs_bool"),
}


# Lowering -------------------------------------------------------------------------------------------


def lower_clause(
    clause: dict[str, Any], verdict: str, number: int, at: JsonPath, document: Document, findings: Findings
) -> tuple[dict[str, Any], Reference | None]:
    """The clause as the engine takes it; with a Reference while its value is still to be filled in."""
    op, path = clause["op"], clause["path"]
    lowered = {
        "path": path,
        "steps": _steps(path, at, document, findings),
        "op": op,
        "value": clause.get("value", True if op == "exists" else None),
        "not": clause.get("not", False),
        "on_missing": clause.get("on_missing", "no_match"),
        "match": clause.get("match", "all" if verdict in PASSING else "any"),
    }
    if op == "exists":
        for key in ("on_missing", "match"):
            if key in clause:
                place = document.place_of((*at, key), key=True)
                findings.add(
                    "no_effect", place, (*at, key), f"`{key}` has no effect on `exists`", "remove it"
                )
    elif "value" not in clause:
        findings.add(
            "missing_key", document.place_of(at), at, "`value` is missing", f"`{op}` compares with a value"
        )
        return lowered, None
    return lowered, _value(lowered, number, (*at, "value"), document, findings)


def _steps(path: str, at: JsonPath, document: Document, findings: Findings) -> list[Any]:
    try:
        return compile_path(path)
    except JSONPathError as error:
        findings.add("bad_jsonpath", document.place_of((*at, "path")), (*at, "path"), str(error), error.hint)
        return []


def _value(
    lowered: dict[str, Any], number: int, at: JsonPath, document: Document, findings: Findings
) -> Reference | None:
    op, value = lowered["op"], lowered["value"]
    if isinstance(value, dict):
        if list(value) == ["from"] and isinstance(value["from"], str):
            return Reference(number, op, value["from"], document.place_of((*at, "from")), (*at, "from"))
        if "from" in value or op != "eq":
            message = "a mapping as `value` must be `{from: name}`, with a name of values.yaml"
            findings.add("bad_value_reference", document.place_of(at), at, message)
            return None
    for remark in CHECKS[op](op, value):
        findings.add(remark.code, document.place_of(at), at, remark.message, remark.hint)
    if isinstance(value, list):
        lowered["value"] = list(value)
    return None
