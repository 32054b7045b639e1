"""The rules of a policy as cases: conditions, and what happens where they hold; the default is the last."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from policyc.analysis.conditions import (
    NO_DESTINATION,
    Condition,
    Question,
    condition,
    conditions_beside_clauses,
    scope,
)
from policyc.analysis.region import Region
from policyc.engine.model import DEFAULT_STAGE, ENFORCING, REWRITING_HOOK, STAGES, Policy, Rule
from policyc.engine.outcomes import LOWERED


@dataclass(frozen=True, slots=True)
class Effect:
    """What a decision comes to. ``would_be`` is what shadow keeps from happening; ``redacts`` is its sanitize
    configuration as JSON."""

    verdict: str
    would_be: str | None
    redacts: str | None


@dataclass(frozen=True, slots=True)
class Case:
    """``key`` is equal for rules that mean the same and do the same. ``rule`` is None for the default.

    ``effects`` is what it does on each surface. A ``noted`` one is a rule in shadow: the walk goes on, and it
    is heard where the others let the call pass as it is.
    """

    rule: Rule | None
    policy: Policy
    effects: Mapping[str, Effect]
    stages: frozenset[str] | None
    globs: tuple[str, ...] | None
    conditions: tuple[Condition, ...]
    key: str
    noted: bool = False

    @property
    def effect(self) -> Effect:
        """What it does where every verdict can be carried out."""
        return self.effects[DEFAULT_STAGE]

    @property
    def label(self) -> str | None:
        return None if self.rule is None else self.rule.label

    @property
    def place(self) -> str:
        """``file:line``."""
        return str(self.policy.source if self.rule is None else self.rule.source)


def cases_of(policy: Policy) -> tuple[Case, ...]:
    """The rules of ``policy`` in order, then its default."""
    return (*(_case(policy, rule) for rule in policy.rules), _default(policy))


def without_destination(policy: Policy) -> Case:
    """What comes before every rule: a connection that does not say where it goes is stopped."""
    asked = Question(NO_DESTINATION, None, None)
    effects = _effects("deny", None, policy.shadow)
    return Case(None, policy, effects, frozenset({"egress"}), None, (asked,), f"{NO_DESTINATION} {effects}")


def _case(policy: Policy, rule: Rule) -> Case:
    effects = _effects(rule.verdict, rule.sanitize, policy.shadow or rule.shadow)
    beside = conditions_beside_clauses(rule)
    conditions = (*beside, *(condition(clause) for clause in rule.clauses))
    asked = [it.key for it in beside if isinstance(it, Question)]
    key = json.dumps([*scope(rule), asked, str(effects), rule.shadow], sort_keys=True, default=list)
    return Case(rule, policy, effects, rule.stages, rule.tools, conditions, key, rule.shadow)


def _default(policy: Policy) -> Case:
    effects = _effects(policy.default_verdict, None, policy.shadow)
    return Case(None, policy, effects, None, None, (), f"default {effects}")


def _effects(verdict: str, sanitize: object, shadow: bool) -> dict[str, Effect]:
    said = "deny" if verdict == "cap_cost" else verdict
    return {
        surface: _effect(LOWERED.get((said, surface), said), sanitize, shadow)
        for surface in (*STAGES, REWRITING_HOOK)
    }


def _effect(verdict: str, sanitize: object, shadow: bool) -> Effect:
    if shadow and verdict in ENFORCING:
        return Effect("audit", verdict, None)
    return Effect(verdict, None, json.dumps(sanitize, sort_keys=True) if verdict == "sanitize" else None)


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
