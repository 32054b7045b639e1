"""The plain walk over the rules: first match wins.

It is what the semantics say, line by line. ``explain`` is this walk with a reporter, and the tests hold the
specialised evaluator (``evaluate.py``) against it.
"""

from __future__ import annotations

from policyc.engine.clauses import holds
from policyc.engine.globs import matches
from policyc.engine.model import Call, Clause, Outcome, Policy, Rule
from policyc.engine.outcomes import default_outcome, no_policy_outcome, rule_outcome
from policyc.engine.paths import select
from policyc.engine.text import clean


class Reporter:
    """Hears of every rule the walk considers, in order. The base class is the silent one."""

    def rule_failed(self, rule: Rule, condition: str, clause: Clause | None, saw: list[object]) -> None:
        """``rule`` did not match: ``condition`` is stage, tool or clause; ``saw`` is what was there."""

    def rule_matched(self, rule: Rule) -> None:
        """``rule`` matched, which ends the walk."""


_SILENT = Reporter()


def decide(policy: Policy | None, call: Call, reporter: Reporter = _SILENT) -> Outcome:
    """The outcome of ``policy`` for ``call``; never raises."""
    if policy is None:
        return no_policy_outcome()
    for rule in policy.rules:
        if _rule_matches(rule, call, reporter):
            reporter.rule_matched(rule)
            return rule_outcome(policy, rule, call.stage)
    return default_outcome(policy)


def _rule_matches(rule: Rule, call: Call, reporter: Reporter) -> bool:
    if rule.stages is not None and call.stage not in rule.stages:
        reporter.rule_failed(rule, "stage", None, [call.stage])
        return False
    names = [clean(name) for name in call.names]
    if rule.tools is not None and not any(matches(glob, name) for glob in rule.tools for name in names):
        reporter.rule_failed(rule, "tool", None, list(names))
        return False
    for clause in rule.clauses:
        if not holds(clause, call.args):
            reporter.rule_failed(rule, "clause", clause, select(clause.steps, call.args))
            return False
    return True
