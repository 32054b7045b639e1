"""What is served, for `GET /v1/policies`: every policy and its rules in evaluation order, without clauses."""

from __future__ import annotations

from typing import Any

from policyc.engine.model import Policy, Rule
from policyc.engine.plan import Plan
from policyc_server.events.documents import moment

#: (policy, rule) -> how often it decided, and when last (microseconds); rule "" is the default verdict.
Hits = dict[tuple[str, str], tuple[int, int]]


def policies_document(plan: Plan, revision: str, hits: Hits | None) -> dict[str, Any]:
    """The policies of `plan` as JSON; `hits` is None where nothing is counted."""
    return {
        "bundle": plan.bundle,
        "revision": revision,
        "default_policy": plan.default_policy,
        "bindings": [{"agents": list(globs), "policy": name} for globs, name in plan.bindings],
        "policies": [_policy(policy, hits) for policy in plan.policies.values()],
    }


def _policy(policy: Policy, hits: Hits | None) -> dict[str, Any]:
    return {
        "policy": policy.name,
        "default_verdict": policy.default_verdict,
        "default_hits": _hits(hits, policy.name, ""),
        "shadow": policy.shadow,
        "source": str(policy.source),
        "rules": [_rule(policy, rule, hits) for rule in policy.rules],
    }


def _rule(policy: Policy, rule: Rule, hits: Hits | None) -> dict[str, Any]:
    return {
        "label": rule.label,
        "priority": rule.priority,
        "verdict": rule.verdict,
        "stages": None if rule.stages is None else sorted(rule.stages),
        "tools": None if rule.tools is None else list(rule.tools),
        "clauses": len(rule.clauses),
        "shadow": policy.shadow or rule.shadow,
        "source": str(rule.source),
        "hits": _hits(hits, policy.name, rule.label),
    }


def _hits(hits: Hits | None, policy: str, rule: str) -> dict[str, Any] | None:
    if hits is None:
        return None
    count, last_at = hits.get((policy, rule), (0, None))
    return {"count": count, "last_at": None if last_at is None else moment(last_at)}
