"""Changes of one rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from policyc.engine.model import PASSING, Budget, Clause, Rule
from policyc.testing.mutation.clauses import of_clause
from policyc.testing.mutation.copies import changed
from policyc.testing.mutation.lists import without_each

#: What a rule says instead.
FLIPPED: Final = {
    "deny": "allow",
    "pending_approval": "allow",
    "sanitize": "allow",
    "audit": "deny",
    "allow": "deny",
    "cap_cost": "audit",
}


@dataclass(frozen=True, slots=True)
class RuleChange:
    """``rule`` stands in the place of the one that was changed, None where it was deleted. ``focus`` is a
    rule whose calls tell the two apart."""

    kind: str
    what: str
    rule: Rule | None
    focus: Rule


def of_rule(rule: Rule) -> Iterator[RuleChange]:
    yield RuleChange("rule_deleted", "rule deleted", None, rule)
    verdict = FLIPPED[rule.verdict]
    yield RuleChange(
        "verdict_flipped", f"verdict {rule.verdict} made {verdict}", _saying(rule, verdict), rule
    )
    shadowed = changed(rule, shadow=not rule.shadow)
    yield RuleChange("shadow_flipped", f"shadow made {str(not rule.shadow).lower()}", shadowed, rule)
    for place, clause in enumerate(rule.clauses):
        for change in of_clause(clause):
            made = _with(rule, place, change.clause)
            yield RuleChange(change.kind, change.what, made, _with(rule, place, change.focus))
    yield from _of_globs(rule)
    yield from _of_stages(rule)
    yield from _of_egress(rule)
    yield from _of_sanitize(rule)
    yield from _of_budget(rule)


def _saying(rule: Rule, verdict: str) -> Rule:
    """The verdict gives the lists of ``egress`` their roles: they change places with it."""
    egress = rule.egress
    if egress is not None and (verdict in PASSING) is not (rule.verdict in PASSING):
        egress = {_OTHER[key]: entries for key, entries in egress.items()}
    return changed(rule, verdict=verdict, sanitize=None, approval=None, egress=egress)


_OTHER: Final = {"allow": "deny", "deny": "allow"}


def _with(rule: Rule, place: int, clause: Clause | None) -> Rule:
    kept = () if clause is None else (clause,)
    return changed(rule, clauses=(*rule.clauses[:place], *kept, *rule.clauses[place + 1 :]))


def _of_globs(rule: Rule) -> Iterator[RuleChange]:
    for name in ("tools", "skills"):
        globs = getattr(rule, name)
        if globs is None:
            continue
        for what, rest, focus in without_each(globs, name):
            made = changed(rule, **{name: tuple(rest)})
            yield RuleChange("glob_dropped", what, made, changed(rule, **{name: tuple(focus)}))
        if rule.verdict in PASSING and "*" not in globs:
            free = changed(rule, **{name: None})
            yield RuleChange("condition_dropped", f"{name} dropped", free, free)


def _of_stages(rule: Rule) -> Iterator[RuleChange]:
    for what, rest, focus in without_each(sorted(rule.stages or ()), "stages"):
        made = changed(rule, stages=frozenset(rest))
        yield RuleChange("stage_dropped", what, made, changed(rule, stages=frozenset(focus)))


def _of_egress(rule: Rule) -> Iterator[RuleChange]:
    for key, entries in (rule.egress or {}).items():
        for what, rest, focus in without_each(entries, f"egress {key}"):
            made = changed(rule, egress={**(rule.egress or {}), key: rest})
            yield RuleChange(
                "value_changed", what, made, changed(rule, egress={**(rule.egress or {}), key: focus})
            )


def _of_sanitize(rule: Rule) -> Iterator[RuleChange]:
    config = rule.sanitize or {}
    for key, entries in config.items():
        for place, entry in enumerate(entries):
            rest = {**config, key: [*entries[:place], *entries[place + 1 :]]}
            if any(rest.values()):
                made = changed(rule, sanitize=rest)
                yield RuleChange("value_changed", f"{entry!r} taken out of sanitize {key}", made, rule)


def _of_budget(rule: Rule) -> Iterator[RuleChange]:
    if rule.budget is None:
        return
    yield RuleChange("condition_dropped", f"{rule.budget.kind} dropped", changed(rule, budget=None), rule)
    for limit in _limits(rule.budget):
        made = changed(rule, budget=changed(rule.budget, limit=limit))
        yield RuleChange("bound_moved", f"{rule.budget.kind} {rule.budget.limit} made {limit}", made, rule)


def _limits(budget: Budget) -> list[Any]:
    """One more may pass, or one less. A sequence is as long as it is."""
    return [] if budget.steps else [budget.limit + 1, *([budget.limit - 1] if budget.limit > 1 else [])]
