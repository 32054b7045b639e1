"""The plain walk over the rules: first match wins.

It is what the semantics say, line by line. ``explain`` is this walk with a reporter, and the tests hold the
specialised evaluator (``evaluate.py``) against it.
"""

from __future__ import annotations

from policyc.engine.clauses import holds
from policyc.engine.egress import Egress, destination_of
from policyc.engine.globs import matches
from policyc.engine.model import Call, Clause, Outcome, Policy, Rule
from policyc.engine.outcomes import (
    default_outcome,
    no_destination_outcome,
    no_policy_outcome,
    of_all,
    rule_outcome,
    strictest,
)
from policyc.engine.paths import select
from policyc.engine.text import clean


class Reporter:
    """Hears of every rule the walk considers, in order. The base class is the silent one."""

    def rule_failed(self, rule: Rule, condition: str, clause: Clause | None, saw: list[object]) -> None:
        """``rule`` did not match: ``condition`` is stage, tool, egress or clause."""

    def rule_unknown(self, rule: Rule, clause: Clause | None, saw: list[object]) -> None:
        """``rule`` may match: no condition failed, and ``clause`` (of None: the rule's ``egress``) is the
        first that cannot be known."""

    def rule_matched(self, rule: Rule) -> None:
        """``rule`` matched, which ends the walk."""


_SILENT = Reporter()


def decide(policy: Policy | None, call: Call, reporter: Reporter = _SILENT) -> Outcome:
    """The outcome of ``policy`` for ``call``; never raises."""
    if policy is None:
        return no_policy_outcome()
    if call.more:
        return of_all([_decide(policy, part, reporter) for part in call.parts])
    return _decide(policy, call, reporter)


def _decide(policy: Policy, call: Call, reporter: Reporter) -> Outcome:
    if call.stage == "egress" and destination_of(call) is None:
        return no_destination_outcome(policy)
    possible = []
    for rule in policy.rules:
        answer = _rule_matches(rule, call, reporter)
        if answer is False:
            continue
        possible.append(rule_outcome(policy, rule, call.surface))
        if answer:
            reporter.rule_matched(rule)
            return strictest(possible)
    return strictest([*possible, default_outcome(policy)])


def _rule_matches(rule: Rule, call: Call, reporter: Reporter) -> bool | None:
    if rule.stages is not None and call.stage not in rule.stages:
        reporter.rule_failed(rule, "stage", None, [call.stage])
        return False
    names = [clean(name) for name in call.names]
    if rule.tools is not None and not any(matches(glob, name) for glob in rule.tools for name in names):
        reporter.rule_failed(rule, "tool", None, list(names))
        return False
    unknown: Clause | str | None = None
    if rule.egress is not None:
        answer = Egress(rule.verdict, rule.egress).matches(destination_of(call))
        if answer is False:
            reporter.rule_failed(rule, "egress", None, [destination_of(call)])
            return False
        unknown = "egress" if answer is None else None
    for clause in rule.clauses:
        answer = holds(clause, call)
        if answer is False:
            reporter.rule_failed(rule, "clause", clause, select(clause.steps, call.args))
            return False
        if answer is None:
            unknown = unknown or clause
    if unknown is None:
        return True
    if isinstance(unknown, Clause):
        reporter.rule_unknown(rule, unknown, select(unknown.steps, call.args))
    else:
        reporter.rule_unknown(rule, None, [destination_of(call)])
    return None
