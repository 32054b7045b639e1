"""Policies that let calls pass as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from policyc.analysis.lint.finding import Finding, at
from policyc.engine.model import ENFORCING
from policyc.engine.plan import Plan


def posture(plan: Plan) -> Iterator[Finding]:
    """Of the policies that govern an agent: others are parts of these."""
    names = dict.fromkeys([plan.default_policy, *(name for _, name in plan.bindings)])
    for policy in (plan.policies[name] for name in names if name is not None):
        if policy.shadow:
            yield at(policy.source, "shadow_on", f"policy {policy.name!r} is in shadow: it blocks nothing")
        if policy.default_verdict == "allow" and all(rule.verdict in ENFORCING for rule in policy.rules):
            yield at(
                policy.source,
                "default_allow",
                f"policy {policy.name!r} allows whatever its rules do not name",
                "`default_verdict: deny` with rules that allow, or `audit` to see at least what passes",
            )
