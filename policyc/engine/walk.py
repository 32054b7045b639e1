"""The plain walk over the rules: first match wins.

It is what the semantics say, line by line. ``explain`` is this walk with a reporter, and the tests hold the
specialised evaluator (``evaluate.py``) against it.
"""

from __future__ import annotations

from policyc.engine.clauses import holds
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

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Iterable


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
        return of_all([decide_by(policy.rules, policy, part, reporter) for part in call.parts])
    return decide_by(policy.rules, policy, call, reporter)


def decide_by(rules: Iterable[Rule], policy: Policy, call: Call, reporter: Reporter = _SILENT) -> Outcome:
    """The outcome of ``policy`` for one part of a call, by ``rules``: those that can match, in order."""
    if call.stage == "egress" and _destination_of(call) is None:
        return no_destination_outcome(policy)
    possible = []
    for rule in rules:
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
        answer = _leads_there(rule, call)
        if answer is False:
            reporter.rule_failed(rule, "egress", None, [_destination_of(call)])
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
        reporter.rule_unknown(rule, None, [_destination_of(call)])
    return None


# Hosts are only loaded by plans with rules on destinations.


def _leads_there(rule: Rule, call: Call) -> bool | None:
    from policyc.engine.egress import Egress

    return Egress(rule.verdict, rule.egress or {}).matches(_destination_of(call))


def _destination_of(call: Call) -> str | None:
    from policyc.engine.egress import destination_of

    return destination_of(call)
