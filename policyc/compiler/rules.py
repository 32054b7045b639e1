"""Rules as the engine takes them, one at a time: what needs no other file is checked here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from policyc.compiler.budgets import CAPPED_STAGES, lower_budget
from policyc.compiler.clauses import Reference, lower_clause, lower_path
from policyc.compiler.rule_keys import check_shadow, lower_approval, lower_egress, lower_sanitize
from policyc.source.diagnostics import JsonPath, Place
from policyc.source.findings import Findings
from policyc.source.nodes import Document, plain
from policyc.source.schema import shape


@dataclass(frozen=True, slots=True)
class WrittenExample:
    """An entry of ``examples``: a mapping or a command line, under ``match`` or not."""

    matches: bool
    given: Any
    place: Place
    at: JsonPath


@dataclass(frozen=True, slots=True)
class LoweredRule:
    """``data`` is the rule of data.json; it is shared between compilations and must not be changed.

    ``references`` are the clauses whose value is still to be filled in.
    """

    data: dict[str, Any]
    priority: int
    number: int
    label_place: Place
    label_at: JsonPath
    references: tuple[Reference, ...]
    examples: tuple[WrittenExample, ...]


def lower_rule(
    rule: Any, number: int, at: JsonPath, policy: str, document: Document, findings: Findings
) -> LoweredRule | None:
    """The rule ``number`` (0-based) of ``policy``, or None when its shape is wrong. Reports what is."""
    if shape("policy", "rule").report(rule, document, at, findings):
        _check_rest(rule, at, document, findings)
        return None
    verdict = rule["verdict"]
    clauses, references = _clauses(rule, verdict, (*at, "args_match", "clauses"), document, findings)
    line, column = document.place_of(at)
    stages, tools = _listed(rule.get("stage")), _listed(rule.get("tool_name_glob"))
    if verdict == "cap_cost" and stages is None:
        stages = list(CAPPED_STAGES)
    data: dict[str, Any] = {
        "label": rule.get("label", default_label(policy, number)),
        "priority": int(rule["priority"]),
        "stages": stages,
        "tools": tools,
        "clauses": clauses,
        "verdict": verdict,
        "reason": rule.get("reason"),
        "reason_code": rule.get("reason_code"),
        "risk_factors": list(rule.get("risk_factors", ())),
        "source": {"path": findings.path, "line": line, "column": column},
    }
    sanitize = lower_sanitize(rule, stages, at, document, findings)
    egress = lower_egress(rule, stages, at, document, findings)
    data |= {} if sanitize is None else {"sanitize": sanitize}
    data |= {} if egress is None else {"egress": egress}
    data |= {"skills": _listed(rule["skill_name_glob"])} if "skill_name_glob" in rule else {}
    data |= {"shadow": True} if check_shadow(rule, at, document, findings) else {}
    data |= lower_approval(rule, at, document, findings)
    data |= lower_budget(rule, stages, at, document, findings)
    if verdict == "pending_approval" and "egress" in (stages or ()):
        message = "`pending_approval` cannot wait on `egress`"
        place = document.place_of((*at, "verdict"))
        findings.add(
            "approval_on_egress", place, (*at, "verdict"), message, "hold the call on `mcp`, or deny it"
        )
    _check_printable(rule, at, document, findings)
    label_at = (*at, "label") if "label" in rule else at
    place, examples = document.place_of(label_at), tuple(_examples(rule, at, document))
    return LoweredRule(data, data["priority"], number, place, label_at, references, examples)


def _examples(rule: dict[str, Any], at: JsonPath, document: Document) -> Iterator[WrittenExample]:
    for key, matches in (("match", True), ("no_match", False)):
        for number, given in enumerate(rule.get("examples", {}).get(key, ())):
            where = (*at, "examples", key, number)
            yield WrittenExample(matches, plain(given), document.place_of(where), where)


def _check_printable(rule: dict[str, Any], at: JsonPath, document: Document, findings: Findings) -> None:
    for key in ("label", "reason_code"):
        if not rule.get(key, "").isprintable():
            message = f"`{key}` has a character that cannot be shown, such as a line break"
            findings.add(
                "unprintable", document.place_of((*at, key)), (*at, key), message, "write one line of text"
            )


def default_label(policy: str, number: int) -> str:
    """The label of the rule ``number`` (0-based) that was given none."""
    return f"{policy}#{number + 1}"


def _check_rest(rule: Any, at: JsonPath, document: Document, findings: Findings) -> None:
    """What has the right shape in the clauses of a rule that has not: so that one run shows everything."""
    match = rule.get("args_match") if isinstance(rule, dict) else None
    clauses = match.get("clauses") if isinstance(match, dict) else None
    for number, clause in enumerate(clauses if isinstance(clauses, list) else ()):
        clause_at = (*at, "args_match", "clauses", number)
        if shape("policy", "clause").accepts(clause):
            lower_clause(clause, "deny", number, clause_at, document, findings)
        elif isinstance(clause, dict) and isinstance(clause.get("path"), str):
            lower_path(clause["path"], clause_at, document, findings)


def _listed(value: Any) -> list[str] | None:
    if value is None:
        return None
    return [value] if isinstance(value, str) else list(value)


def _clauses(
    rule: Any, verdict: str, at: JsonPath, document: Document, findings: Findings
) -> tuple[list[dict[str, Any]], tuple[Reference, ...]]:
    lowered: list[dict[str, Any]] = []
    references: list[Reference] = []
    for number, clause in enumerate(rule.get("args_match", {}).get("clauses", ())):
        data, found = lower_clause(clause, verdict, number, (*at, number), document, findings)
        lowered.append(data)
        references.extend(found)
    return lowered, tuple(references)
