"""The key ``literals`` of a rule in a plan that runs in one process per call: what each of its patterns
needs a text to hold, so that the engine reads only the patterns that may match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policyc.compiler.patterns import written_value
from policyc.engine.regex_literals import ANYTHING
from policyc.engine.regex_needs import needed
from policyc.engine.regex_syntax import parse


def with_literals(rule: Mapping[str, Any]) -> dict[str, Any]:
    """``rule`` of a plan, whose patterns the engine takes, with its literals where it has patterns."""
    table = {}
    for pattern in _patterns(rule):
        literals = needed(parse(pattern)) or ANYTHING
        table[pattern] = {"folded": literals.folded, "texts": literals.texts}
    return {**rule, "literals": table} if table else dict(rule)


def _patterns(rule: Mapping[str, Any]) -> list[str]:
    found = [*(rule.get("sanitize") or {}).get("custom", ())]

    def note(pattern: str) -> str:
        found.append(pattern)
        return pattern

    for clause in rule["clauses"]:
        written_value(clause["op"], clause["value"], note)
    return found
