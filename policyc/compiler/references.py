"""Fills ``{from: name}`` in: the value of the bundle's values.yaml in the clause that asks for it."""

from __future__ import annotations

from typing import Any

from policyc.compiler.clause_values import CHECKS
from policyc.compiler.clauses import Reference
from policyc.compiler.patterns import written_if_sound, written_value
from policyc.compiler.policy_file import PolicyFile
from policyc.compiler.reporting import Reporting
from policyc.compiler.rules import LoweredRule
from policyc.compiler.scope import Scope
from policyc.source.suggest import did_you_mean
from policyc.source.tree import VALUES_FILE


def filled(policy: PolicyFile, scope: Scope, reporting: Reporting) -> list[dict[str, Any]]:
    """The rules of ``policy`` as data.json has them, every reference replaced by its value."""
    return [
        _filled(rule, policy, scope, reporting) if rule.references else rule.data for rule in policy.rules
    ]


def _filled(rule: LoweredRule, policy: PolicyFile, scope: Scope, reporting: Reporting) -> dict[str, Any]:
    clauses = list(rule.data["clauses"])
    for reference in rule.references:
        value, clause = _value(reference, policy, scope, reporting), clauses[reference.clause]
        if reference.key is not None:
            value = {**clause["value"], reference.key: value}
        value = written_value(reference.op, value, written_if_sound)
        clauses[reference.clause] = {**clause, "value": value}
    return {**rule.data, "clauses": clauses}


def _value(reference: Reference, policy: PolicyFile, scope: Scope, reporting: Reporting) -> Any:
    values = scope.values
    if values is None or reference.name not in values.values:
        if values is None or values.complete:
            _report_unknown(reference, policy, scope, reporting)
        return None
    found = values.values[reference.name]
    if found is None:  # reported where it is written
        return None
    where = f"`{reference.name}` of {values.path}:{found.place[0]}:{found.place[1]}"
    value = found.value if reference.key is None else {reference.key: found.value}
    for remark in CHECKS[reference.op](reference.op, value):
        message = f"{remark.message} ({where})"
        reporting.add(remark.code, policy.path, reference.place, reference.at, message, remark.hint)
    return found.value


def _report_unknown(reference: Reference, policy: PolicyFile, scope: Scope, reporting: Reporting) -> None:
    if scope.values is None:
        message, hint = (
            f"`{reference.name}` is not known: there is no {VALUES_FILE}",
            f"add it in {VALUES_FILE}",
        )
    else:
        message = f"`{reference.name}` is not in {scope.values.path}"
        hint = did_you_mean(reference.name, scope.values.values) or f"add it in {scope.values.path}"
    reporting.add("unknown_value", policy.path, reference.place, reference.at, message, hint)
