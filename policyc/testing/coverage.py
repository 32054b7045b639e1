"""Which rules and clauses the tests have seen both ways.

A point is one outcome of one condition: a rule that matches and that is passed over; a clause, a skill, an
egress or a budget that is true and that is false. What cannot be known is neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from policyc.engine.globs import matches
from policyc.engine.model import Clause, Policy, Rule
from policyc.engine.plan import Plan
from policyc.engine.specialise import is_unconditional
from policyc.engine.walk import Reporter

#: Path, line and label of a rule: a rule that several policies include is one.
RuleKey = tuple[str, int, str]
#: A rule, ``rule``, ``skill``, ``egress``, ``budget`` or the number of a clause, and the outcome.
Point = tuple[RuleKey, str | int, bool]
#: Where rules of other bundles are from.
_FOREIGN = "preset:"


class Seen(Reporter):
    """Takes down the points that walks come to."""

    def __init__(self) -> None:
        self.points: set[Point] = set()

    def rule_failed(self, rule: Rule, _condition: str, _clause: Clause | None, _saw: list[object]) -> None:
        self.points.add((key_of(rule), "rule", False))

    def rule_matched(self, rule: Rule, _saw: list[object]) -> None:
        self.points.add((key_of(rule), "rule", True))

    def answered(self, rule: Rule, condition: str, clause: Clause | None, answer: bool | None) -> None:
        if answer is not None:
            name = condition if clause is None else rule.clauses.index(clause)
            self.points.add((key_of(rule), name, answer))


def key_of(rule: Rule) -> RuleKey:
    return rule.source.path, rule.source.line, rule.label


@dataclass(frozen=True)
class RuleCoverage:
    """The points of one rule, in order, and whether each was seen."""

    rule: Rule
    points: Mapping[Point, bool]

    @property
    def missed(self) -> tuple[Point, ...]:
        return tuple(point for point, seen in self.points.items() if not seen)


@dataclass(frozen=True)
class Coverage:
    """Rules of the bundle itself, and those that it takes over from bundles that ship. ``by_policy``: the
    share of each policy's own points, in percent."""

    own: tuple[RuleCoverage, ...]
    foreign: tuple[RuleCoverage, ...]
    by_policy: Mapping[str, float]

    @property
    def percent(self) -> float:
        """The share of the own points, each rule counted once."""
        return percent(self.own)


def percent(rules: Iterable[RuleCoverage]) -> float:
    """The share of points that were seen, in percent; 100 of nothing."""
    seen = [was for rule in rules for was in rule.points.values()]
    return 100 * sum(seen) / len(seen) if seen else 100.0


def coverage(plan: Plan, seen: set[Point]) -> Coverage:
    """What ``seen`` is of the rules of ``plan``."""
    own, foreign = _covered(plan.policies.values(), seen)
    shares = {policy.name: percent(_covered([policy], seen)[0]) for policy in plan.policies.values()}
    return Coverage(own, foreign, shares)


def _covered(
    policies: Iterable[Policy], seen: set[Point]
) -> tuple[tuple[RuleCoverage, ...], tuple[RuleCoverage, ...]]:
    """The rules of ``policies``, each once: own ones and foreign ones."""
    rules = {key_of(rule): rule for policy in policies for rule in policy.rules}
    found = [
        RuleCoverage(rules[key], {point: point in seen for point in points_of(rules[key])})
        for key in sorted(rules)
    ]
    own = tuple(one for one in found if not _is_foreign(one.rule))
    return own, tuple(one for one in found if _is_foreign(one.rule))


def points_of(rule: Rule) -> list[Point]:
    """The points that there are of ``rule``: a rule without any condition is never passed over."""
    key = key_of(rule)
    conditions: list[str | int] = [
        *(["skill"] if rule.skills is not None else []),
        *(["egress"] if rule.egress is not None else []),
        *range(len(rule.clauses)),
        *(["budget"] if rule.budget is not None else []),
    ]
    both = [(key, name, outcome) for name in ("rule", *conditions) for outcome in (True, False)]
    return both[:1] if _always_matches(rule) else both


def _always_matches(rule: Rule) -> bool:
    covers_all = rule.tools is None or any(matches(glob, "") for glob in rule.tools)
    return covers_all and rule.stages is None and is_unconditional(rule)


def _is_foreign(rule: Rule) -> bool:
    return rule.source.path.startswith(_FOREIGN)
