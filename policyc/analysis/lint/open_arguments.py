"""Rules that stop a call by an argument, and let it through when that is left out or of another type."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from policyc.analysis.budget import Budget, Exhausted
from policyc.analysis.conditions import Sort, condition
from policyc.analysis.lint.finding import Finding, at, own_rules
from policyc.analysis.numbers import NONE
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.analysis.values import NOTHING, ONLY_MISSING, Texts, Values
from policyc.analysis.witness import witnesses
from policyc.engine.calls import read_call
from policyc.engine.model import DEFAULT_STAGE, PERMITTING, Clause, Policy, Rule
from policyc.engine.walk import decide

_NUMERIC = frozenset({"gt", "gte", "lt", "lte"})
#: What another type is: a number written as a text, and a text in a list.
_AS_TEXT = replace(NOTHING, texts=Texts())
_AS_LIST = Values(frozenset({"list"}), NONE, None)
#: Arguments that adapters set from what the agent executes, where the tool has its canonical name.
_CANONICAL = frozenset({"command", "path", "content", "url"})


def fails_open(policy: Policy) -> Iterator[Finding]:
    """One finding a rule at most. Raises nothing: without a call that shows it, nothing is said."""
    for _place, rule in own_rules(policy):
        if rule.verdict in ("deny", "pending_approval"):
            yield from _first(policy, rule)


def _first(policy: Policy, rule: Rule) -> Iterator[Finding]:
    for clause in rule.clauses:
        asked = condition(clause)
        if not isinstance(asked, Sort) or clause.op == "exists" or _is_set_by_adapter(clause):
            continue
        for what, values in (("missing", ONLY_MISSING), ("of another type", _other(clause))):
            call = _passing(policy, rule, clause, asked.false.meet(values))
            if call is not None:
                yield at(
                    rule.source,
                    "fails_open",
                    f"rule {rule.label!r} lets a call pass whose `{clause.path}` is {what}: {call}",
                    "`on_missing: match`, or a rule that denies what is not of the expected type",
                )
                return


def _is_set_by_adapter(clause: Clause) -> bool:
    """There is nothing to run where a canonical argument is not there."""
    return len(clause.steps) == 1 and clause.steps[0][1] in _CANONICAL and clause.op not in _NUMERIC


def _other(clause: Clause) -> Values:
    return _AS_TEXT if clause.op in _NUMERIC else _AS_LIST


def _passing(policy: Policy, rule: Rule, wrong: Clause, values: Values) -> str | None:
    """A call that the rule would match if ``wrong`` held, and that passes."""
    stages = rule.stages or frozenset({DEFAULT_STAGE})
    region = Region().with_value(_path(wrong), values).on_stages(stages)
    if region is not None and rule.tools is not None:
        region = replace(region, names=region.names.covered(rule.tools, True))
    for clause in rule.clauses:
        if clause is not wrong and region is not None:
            region = region.assuming(condition(clause), True)
    if region is None:
        return None
    try:
        for document in witnesses(region, None, Solver(Budget(5_000, 300_000))):
            if decide(policy, read_call(document)).verdict in PERMITTING:
                return json.dumps(document)
    except Exhausted:
        return None
    return None


def _path(clause: Clause) -> tuple[str | int, ...]:
    asked = condition(clause)
    assert isinstance(asked, Sort)
    return asked.path
