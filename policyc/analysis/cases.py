"""The rules of a policy as cases: conditions, and what happens where they hold; the default is the last."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from policyc.analysis.conditions import Condition, condition, questions_beside_clauses
from policyc.analysis.region import Region
from policyc.engine.model import ENFORCING, Policy, Rule


@dataclass(frozen=True, slots=True)
class Effect:
    """What a decision comes to. ``would_be`` is what shadow keeps from happening; ``redacts`` is its sanitize
    configuration as JSON."""

    verdict: str
    would_be: str | None
    redacts: str | None


@dataclass(frozen=True, slots=True)
class Case:
    """``key`` is equal for rules that mean the same and do the same. ``rule`` is None for the default."""

    rule: Rule | None
    policy: Policy
    effect: Effect
    stages: frozenset[str] | None
    globs: tuple[str, ...] | None
    conditions: tuple[Condition, ...]
    key: str

    @property
    def label(self) -> str | None:
        return None if self.rule is None else self.rule.label

    @property
    def place(self) -> str:
        """``file:line``."""
        return str(self.policy.source if self.rule is None else self.rule.source)


def cases_of(policy: Policy) -> tuple[Case, ...]:
    """The rules of ``policy`` in order, then its default. A rule in shadow decides nothing."""
    return (*(_case(policy, rule) for rule in policy.rules if not rule.shadow), _default(policy))


def _case(policy: Policy, rule: Rule) -> Case:
    effect = _effect(rule.verdict, rule.sanitize, policy.shadow)
    beside = questions_beside_clauses(rule)
    conditions = (*beside, *(condition(clause) for clause in rule.clauses))
    clauses = [
        [it.steps, it.op, it.value, it.negated, it.on_missing, it.match, it.when_unknown]
        for it in rule.clauses
    ]
    stages = None if rule.stages is None else sorted(rule.stages)
    asked = [question.key for question in beside]
    key = json.dumps([stages, rule.tools, clauses, asked, str(effect)], sort_keys=True, default=list)
    return Case(rule, policy, effect, rule.stages, rule.tools, conditions, key)


def _default(policy: Policy) -> Case:
    effect = _effect(policy.default_verdict, None, policy.shadow)
    return Case(None, policy, effect, None, None, (), f"default {effect}")


def _effect(verdict: str, sanitize: object, shadow: bool) -> Effect:
    verdict = "deny" if verdict == "cap_cost" else verdict
    if shadow and verdict in ENFORCING:
        return Effect("audit", verdict, None)
    return Effect(verdict, None, None if sanitize is None else json.dumps(sanitize, sort_keys=True))


def assumptions(case: Case, region: Region) -> Iterator[tuple[Region, bool | None]]:
    """The parts of ``region`` for which the case is false, may be true (None) or is true; what is plainly
    empty is left out, and the parts do not overlap."""
    inside = region
    if case.stages is not None:
        outside = region.on_stages(region.stages - case.stages)
        if outside is not None:
            yield outside, False
        met = region.on_stages(case.stages)
        if met is None:
            return
        inside = met
    if case.globs is not None:
        yield _named(inside, case.globs, False), False
        inside = _named(inside, case.globs, True)
    yield from _clauses(case.conditions, inside, True)


def _named(region: Region, globs: tuple[str, ...], wanted: bool) -> Region:
    return Region(region.stages, region.names.covered(globs, wanted), region.values, region.answers)


def _clauses(
    conditions: tuple[Condition, ...], region: Region, so_far: bool | None
) -> Iterator[tuple[Region, bool | None]]:
    if not conditions:
        yield region, so_far
        return
    first, *rest = conditions
    fails = region.assuming(first, False)
    if fails is not None:
        yield fails, False
    for truth in (True, None):
        holds = region.assuming(first, truth)
        if holds is not None:
            yield from _clauses(tuple(rest), holds, so_far if truth else None)
