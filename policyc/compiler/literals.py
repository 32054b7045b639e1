"""The table ``literals`` of a plan that runs in one process per call: what each of its patterns needs a text
to hold, so that the engine reads only the patterns that may match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from policyc.compiler.patterns import written_value
from policyc.engine.regex_literals import ANYTHING
from policyc.engine.regex_needs import needed
from policyc.engine.regex_syntax import parse


def with_literals(data: Mapping[str, Any]) -> dict[str, Any]:
    """The plan ``data``, which the engine takes, with its table ``literals``."""
    table = {}
    for pattern in _patterns(data):
        literals = needed(parse(pattern)) or ANYTHING
        table[pattern] = {"folded": literals.folded, "texts": literals.texts}
    return {**data, "literals": table}


def _patterns(data: Mapping[str, Any]) -> Iterator[str]:
    found: list[str] = []

    def note(pattern: str) -> str:
        found.append(pattern)
        return pattern

    for policy in data["policies"].values():
        for rule in policy["rules"]:
            found += (rule.get("sanitize") or {}).get("custom", ())
            for clause in rule["clauses"]:
                written_value(clause["op"], clause["value"], note)
    yield from dict.fromkeys(found)
