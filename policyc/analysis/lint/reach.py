"""Rules that never decide: no call can match them, or earlier rules take every call that could."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policyc.analysis.budget import Budget, Exhausted
from policyc.analysis.cases import Case, assumptions, cases_of
from policyc.analysis.difference import compare
from policyc.analysis.lint.finding import Finding, Unsettled, at, own_rules
from policyc.analysis.region import Region
from policyc.analysis.solver import Solver
from policyc.engine.model import ENFORCING, Policy, Rule

#: What one rule may cost.
_STEPS = 5_000
_STATES = 50_000


def unreachable(policy: Policy) -> Iterator[Finding | Unsettled]:
    cases = cases_of(policy)
    for place, _rule in own_rules(policy):
        try:
            yield from _unreachable(cases, place)
        except Exhausted as error:
            yield Unsettled(f"whether rule {cases[place].label!r} ({cases[place].place}) decides: {error}")


def _unreachable(cases: Sequence[Case], place: int) -> Iterator[Finding]:
    solver, rule = Solver(Budget(_STEPS, _STATES)), cases[place].rule
    assert rule is not None
    regions = [part for part, truth in assumptions(cases[place], Region()) if truth is not False]
    regions = [region for region in regions if not solver.is_empty(region)]
    takers: set[str] = set()
    if not regions:
        message = f"no call can match rule {rule.label!r}: its conditions exclude each other"
        yield at(rule.source, "never_matches", message)
        return
    before = [case for case in cases[:place] if not case.noted]
    if not any(_gets_through(before, region, solver, takers) for region in regions):
        yield _shadowed(rule, [case for case in before if case.place in takers])


def redundant(policy: Policy) -> Iterator[Finding]:
    """Rules without words of their own that could go without changing a verdict; what is not proved is not
    said. A last rule for everything is another way to write the default."""
    for place, rule in own_rules(policy):
        if rule.reason or rule.reason_code or rule.risk_factors or _covers_everything(rule):
            continue
        rest = policy.rules[:place] + policy.rules[place + 1 :]
        without = Policy(policy.name, policy.default_verdict, policy.shadow, policy.source, rest)
        found = compare(policy, without, budget=Budget(_STEPS, _STATES))
        if not found.changes and not found.unknown:
            yield at(rule.source, "redundant_rule", f"without rule {rule.label!r} every verdict is the same")


def _gets_through(cases: Sequence[Case], region: Region, solver: Solver, takers: set[str]) -> bool:
    """Whether a call of ``region`` passes all ``cases``; ``takers`` gets the places of takers."""
    stack: list[tuple[Region, int, Case | None]] = [(region, 0, None)]
    while stack:
        part, position, taker = stack.pop()
        # Most ways are never tried: whether there is a call is asked as late as can be.
        if solver.is_empty(part):
            continue
        if taker is not None:
            takers.add(taker.place)
            continue
        while position < len(cases) and _passes_over(cases[position], part):
            position += 1
        if position == len(cases):
            return True
        solver.budget.step()
        case = cases[position]
        parts = [(left, position + 1, case if truth else None) for left, truth in assumptions(case, part)]
        stack += reversed(parts)
    return False


def _passes_over(case: Case, region: Region) -> bool:
    """Whether it is plain that the case ends no walk."""
    return case.noted or (case.globs is not None and region.names.misses(case.globs))


def _shadowed(rule: Rule, takers: Sequence[Case]) -> Finding:
    named = ", ".join(f"{case.label!r} ({case.place})" for case in takers)
    opens = rule.verdict in ENFORCING and any(case.effect.verdict in ("allow", "audit") for case in takers)
    if opens:
        return at(
            rule.source,
            "allow_hides_deny",
            f"rule {rule.label!r} never decides: rules that let calls pass take all of its own: {named}",
            "give it a lower priority number than theirs",
        )
    return at(
        rule.source, "unreachable_rule", f"rule {rule.label!r} never decides: it is shadowed by {named}"
    )


def _covers_everything(rule: Rule) -> bool:
    return not rule.clauses and rule.stages is None and (rule.tools is None or "*" in rule.tools)
