"""From a matching rule, a default or a fault to an Outcome; shadow is applied here and nowhere else."""

from __future__ import annotations

from policyc.engine.model import ENFORCING, Outcome, Policy, Rule


def rule_outcome(policy: Policy, rule: Rule, stage: str) -> Outcome:
    """The outcome when ``rule`` is the first to match a call at ``stage``."""
    reason = rule.reason or f'rule "{rule.label}" says {rule.verdict}'
    # A connection cannot wait for a person. An explicit hold on egress does not compile; a rule for every
    # stage holds where something can wait and denies here.
    verdict = "deny" if stage == "egress" and rule.verdict == "pending_approval" else rule.verdict
    return _lowered(
        policy,
        verdict,
        reason,
        rule.reason_code or "rule_match",
        rule=rule.label,
        priority=rule.priority,
        risk_factors=rule.risk_factors,
        source=str(rule.source),
    )


def default_outcome(policy: Policy) -> Outcome:
    """The outcome when no rule matches."""
    verdict = policy.default_verdict
    reason = f'no rule of policy "{policy.name}" matches; its default_verdict is {verdict}'
    return _lowered(policy, verdict, reason, "default_verdict", source=str(policy.source))


def no_policy_outcome() -> Outcome:
    """The outcome when no policy governs the agent: closed."""
    return Outcome("deny", "no policy is bound to this agent and there is no default policy", "no_policy")


def _lowered(
    policy: Policy,
    verdict: str,
    reason: str,
    reason_code: str,
    *,
    source: str,
    rule: str | None = None,
    priority: int | None = None,
    risk_factors: tuple[str, ...] = (),
) -> Outcome:
    would_be = verdict if policy.shadow and verdict in ENFORCING else None
    return Outcome(
        "audit" if would_be else verdict,
        f"[shadow] would {would_be}: {reason}" if would_be else reason,
        reason_code,
        policy=policy.name,
        rule=rule,
        priority=priority,
        risk_factors=risk_factors,
        source=source,
        would_be=would_be,
        shadow=policy.shadow,
    )
