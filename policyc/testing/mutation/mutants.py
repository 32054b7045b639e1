"""All mutants of a plan, in the order of its files. Rules of other bundles that it includes are left as they
are: their own tests are about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from policyc.analysis.budget import Budget, Exhausted
from policyc.analysis.cases import Case, assumptions, cases_of
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.analysis.walk import may_hold
from policyc.engine.model import Policy, Rule
from policyc.engine.plan import Plan
from policyc.testing.mutation.rules import of_rule

_FLIPPED_DEFAULT: Final = {"allow": "deny", "audit": "deny", "deny": "allow"}
#: What it may cost to say whether a call meets both of two neighbours.
_STEPS, _STATES = 500, 20_000


@dataclass(frozen=True, slots=True)
class Edit:
    """``removed`` rules from ``at`` on are gone, and ``added`` stand there."""

    at: int
    removed: int = 0
    added: tuple[Rule, ...] = ()
    default_verdict: str | None = None

    def apply(self, policy: Policy) -> Policy:
        rules = (*policy.rules[: self.at], *self.added, *policy.rules[self.at + self.removed :])
        return Policy(
            policy.name, self.default_verdict or policy.default_verdict, policy.shadow, policy.source, rules
        )


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change, in every policy that has what is changed. ``rule`` is a label, None for the default;
    ``focus`` is a rule whose calls may notice."""

    kind: str
    place: str
    rule: str | None
    what: str
    edits: Mapping[str, Edit]
    focus: Rule | None = None


def mutants_of(plan: Plan) -> list[Mutant]:
    return [*_of_rules(plan), *_of_neighbours(plan), *_of_defaults(plan)]


def _of_rules(plan: Plan) -> Iterator[Mutant]:
    """A rule that is included stands in several policies and is changed in all of them."""
    places: dict[tuple[str, int, str], list[tuple[str, int]]] = defaultdict(list)
    for name, policy in plan.policies.items():
        for at, rule in enumerate(policy.rules):
            if _is_own(rule):
                places[rule.source.path, rule.source.line, rule.label].append((name, at))
    for (_path, _line, label), found in sorted(places.items()):
        rule = plan.policies[found[0][0]].rules[found[0][1]]
        for change in of_rule(rule):
            added = () if change.rule is None else (change.rule,)
            edits = {name: Edit(at, 1, added) for name, at in found}
            yield Mutant(change.kind, str(rule.source), label, change.what, edits, change.focus)


def _of_neighbours(plan: Plan) -> Iterator[Mutant]:
    seen: set[tuple[str, str]] = set()
    for name, policy in plan.policies.items():
        for at, (one, two) in enumerate(zip(policy.rules, policy.rules[1:], strict=False)):
            pair = str(one.source), str(two.source)
            if pair in seen or not (_is_own(one) or _is_own(two)) or not _order_matters(policy, one, two):
                continue
            seen.add(pair)
            what = f"swapped with rule {two.label!r} ({two.source})"
            yield Mutant("swapped", pair[0], one.label, what, {name: Edit(at, 2, (two, one))}, one)


def _order_matters(policy: Policy, one: Rule, two: Rule) -> bool:
    """Whether a call may meet both and hear something else from each."""
    if one.shadow or two.shadow or one.verdict == two.verdict:
        return False
    first, second = (_case(policy, rule) for rule in (one, two))
    solver = Solver(Budget(_STEPS, _STATES))
    try:
        return any(
            truth is not False and not solver.is_empty(part) and may_hold(second, part, solver)
            for part, truth in assumptions(first, Region())
        )
    except Exhausted:
        return True


def _case(policy: Policy, rule: Rule) -> Case:
    return cases_of(Policy(policy.name, policy.default_verdict, False, policy.source, (rule,)))[0]


def _of_defaults(plan: Plan) -> Iterator[Mutant]:
    for name, policy in plan.policies.items():
        verdict = _FLIPPED_DEFAULT[policy.default_verdict]
        what = f"default_verdict {policy.default_verdict} made {verdict}"
        yield Mutant(
            "default_flipped", str(policy.source), None, what, {name: Edit(0, default_verdict=verdict)}
        )


def _is_own(rule: Rule) -> bool:
    return not rule.source.path.startswith("preset:")
