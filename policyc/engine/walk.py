"""The plain walk over the rules: first match wins.

It is what the semantics say, line by line. ``explain`` is this walk with a reporter, and the tests hold the
specialised evaluator (``evaluate.py``) against it.
"""

from __future__ import annotations

from policyc.engine.clauses import holds
from policyc.engine.globs import matches
from policyc.engine.kleene import any_of
from policyc.engine.model import OPEN, PERMITTING, UNKNOWN, Call, Clause, Outcome, Policy, Rule
from policyc.engine.outcomes import (
    default_outcome,
    no_destination_outcome,
    no_policy_outcome,
    of_all,
    rule_outcome,
    settled,
    unknown_inner_outcome,
)
from policyc.engine.paths import select
from policyc.engine.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Iterable


class Reporter:
    """Hears of every rule the walk considers, in order. The base class is the silent one."""

    def part_considered(self, call: Call) -> None:
        """The walk begins for ``call``, one part of what is decided."""

    def rule_failed(self, rule: Rule, condition: str, clause: Clause | None, saw: list[object]) -> None:
        """``rule`` did not match: ``condition`` is stage, tool, skill, egress, clause or budget."""

    def rule_unknown(self, rule: Rule, clause: Clause | None, saw: list[object]) -> None:
        """``rule`` may match: no condition failed, and ``clause`` (of None: the rule's ``egress``, or with
        nothing seen its budget) is the first that cannot be known."""

    def rule_matched(self, rule: Rule, saw: list[object]) -> None:
        """``rule`` matched, which ends the walk unless the rule is in shadow; ``saw`` is what was counted."""

    def answered(self, rule: Rule, condition: str, clause: Clause | None, answer: bool | None) -> None:
        """A ``condition`` of ``rule`` that is not its stage or tool was looked at."""


_SILENT = Reporter()


def decide(policy: Policy | None, call: Call, reporter: Reporter = _SILENT) -> Outcome:
    """The outcome of ``policy`` for ``call``; never raises."""
    if policy is None:
        return no_policy_outcome()
    if call.more:
        return of_all([decide_by(policy.rules, policy, part, reporter) for part in call.parts])
    return decide_by(policy.rules, policy, call, reporter)


def decide_by(rules: Iterable[Rule], policy: Policy, call: Call, reporter: Reporter = _SILENT) -> Outcome:
    """The outcome of ``policy`` for one part of a call, by ``rules``: those that can match, in order."""
    reporter.part_considered(call)
    if call.is_unknown:
        return unknown_inner_outcome(policy)
    if call.stage == "egress" and _destination_of(call) is None:
        return no_destination_outcome(policy)
    possible: list[Outcome] = []
    noted: list[Outcome] = []
    for rule in rules:
        answer = _rule_matches(rule, call, reporter)
        if answer is False:
            continue
        outcome = rule_outcome(policy, rule, call.surface)
        if rule.budget is not None:
            outcome = _told(outcome, rule, call)
        if rule.shadow:
            noted.append(outcome)
        elif answer:
            return settled(outcome, possible, noted)
        else:
            possible.append(outcome)
    return settled(default_outcome(policy), possible, noted)


def counts(rule: Rule, call: Call) -> bool:
    """Whether ``call`` is one that the rule's budget is about: every other condition holds or may hold,
    whichever rule decides."""
    return applies(rule, call) is not False


def applies(rule: Rule, call: Call, reporter: Reporter = _SILENT) -> bool | None:
    """Whether every condition of ``rule`` but its budget holds for some part of ``call``."""
    return any_of(_part_applies(rule, part, reporter) for part in call.parts if not part.is_unknown)


def _part_applies(rule: Rule, call: Call, reporter: Reporter) -> bool | None:
    reporter.part_considered(call)
    return _others_hold(rule, call, reporter)[0]


def _rule_matches(rule: Rule, call: Call, reporter: Reporter) -> bool | None:
    answer, doubt = _others_hold(rule, call, reporter)
    if answer is False:
        return False
    saw: list[object] = []
    if rule.budget is not None:
        found = _budget_holds(rule, call)
        reporter.answered(rule, "budget", None, found)
        saw = [call.counted[rule.label]] if rule.label in call.counted else []
        if found is False:
            reporter.rule_failed(rule, "budget", None, saw)
            return False
        answer = answer and found
    if answer:
        reporter.rule_matched(rule, saw)
    elif isinstance(doubt, Clause):
        reporter.rule_unknown(rule, doubt, select(doubt.steps, call.args))
    else:
        reporter.rule_unknown(rule, None, [_destination_of(call)] if rule.egress is not None else [])
    return answer


def _others_hold(rule: Rule, call: Call, reporter: Reporter) -> tuple[bool | None, Clause | None]:
    """Whether every condition but the budget holds, and the first clause that cannot be known."""
    if rule.stages is not None and call.stage not in rule.stages:
        reporter.rule_failed(rule, "stage", None, [call.stage])
        return False, None
    names = [clean(name) for name in call.names]
    if rule.tools is not None and not any(matches(glob, name) for glob in rule.tools for name in names):
        reporter.rule_failed(rule, "tool", None, list(names))
        return False, None
    if rule.skills is not None:
        covered = is_for(rule.skills, call)
        reporter.answered(rule, "skill", None, covered)
        if not covered:
            reporter.rule_failed(rule, "skill", None, [call.skill])
            return False, None
    answer: bool | None = True
    doubt: Clause | None = None
    if rule.egress is not None:
        answer = _leads_there(rule, call)
        reporter.answered(rule, "egress", None, answer)
        if answer is False:
            reporter.rule_failed(rule, "egress", None, [_destination_of(call)])
            return False, None
    for clause in rule.clauses:
        found = clause_holds(clause, rule, call)
        reporter.answered(rule, "clause", clause, found)
        if found is False:
            reporter.rule_failed(rule, "clause", clause, select(clause.steps, call.args))
            return False, None
        if found is None:
            answer, doubt = None, doubt if answer is None else clause
    return answer, doubt


def clause_holds(clause: Clause, rule: Rule, call: Call) -> bool | None:
    """Whether ``clause`` of ``rule`` holds, also where the arguments of the call are not known."""
    if call.args is UNKNOWN:
        return clause.when_unknown
    if call.args is OPEN:
        return rule.verdict in PERMITTING
    return holds(clause, call)


def is_for(skills: tuple[str, ...], call: Call) -> bool:
    # No skill is not every skill: only a glob of stars and nothing else covers it.
    skill = clean(call.skill or "")
    return any(matches(glob, skill) for glob in skills)


# Budgets and hosts are only loaded by plans that have them.


def _budget_holds(rule: Rule, call: Call) -> bool | None:
    from policyc.engine.budgets import holds

    return holds(rule, call)


def _told(outcome: Outcome, rule: Rule, call: Call) -> Outcome:
    from policyc.engine.budgets import told

    return told(outcome, rule, call)


def _leads_there(rule: Rule, call: Call) -> bool | None:
    from policyc.engine.egress import Egress

    return Egress(rule.verdict, rule.egress or {}).matches(_destination_of(call))


def _destination_of(call: Call) -> str | None:
    from policyc.engine.egress import destination_of

    return destination_of(call)
