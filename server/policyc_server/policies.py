"""What is served, for `GET /v1/policies`: every policy and its rules in evaluation order, without clauses."""

from __future__ import annotations

from policyc.engine.model import Policy, Rule
from policyc.engine.plan import Plan


def policies_document(plan: Plan, revision: str) -> dict[str, object]:
    """The policies of `plan` as JSON."""
    return {
        "bundle": plan.bundle,
        "revision": revision,
        "default_policy": plan.default_policy,
        "bindings": [{"agents": list(globs), "policy": name} for globs, name in plan.bindings],
        "policies": [_policy(policy) for policy in plan.policies.values()],
    }


def _policy(policy: Policy) -> dict[str, object]:
    return {
        "policy": policy.name,
        "default_verdict": policy.default_verdict,
        "shadow": policy.shadow,
        "source": str(policy.source),
        "rules": [_rule(rule) for rule in policy.rules],
    }


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "label": rule.label,
        "priority": rule.priority,
        "verdict": rule.verdict,
        "stages": None if rule.stages is None else sorted(rule.stages),
        "tools": None if rule.tools is None else list(rule.tools),
        "clauses": len(rule.clauses),
        "source": str(rule.source),
    }
