"""From a matching rule, a default or a fault to an Outcome; shadow is applied here and nowhere else."""

from __future__ import annotations

from policyc.engine.model import ENFORCING, PERMITTING, STRICTNESS, Outcome, Policy, Rule

#: A verdict that a stage cannot carry, and the stricter one in its place: a connection waits for nobody, an
#: advertised tool has no arguments to rewrite, and only some hooks rewrite any (``REWRITING_HOOK``).
LOWERED = {
    ("pending_approval", "egress"): "deny",
    ("sanitize", "egress"): "deny",
    ("sanitize", "inbound"): "deny",
    ("sanitize", "hook"): "deny",
}
_SANITIZE_KEYS = ("presets", "custom")


def rule_outcome(policy: Policy, rule: Rule, surface: str) -> Outcome:
    """The outcome when ``rule`` is the first to match a call on ``surface``."""
    said = "deny" if rule.verdict == "cap_cost" else rule.verdict
    verdict = LOWERED.get((said, surface), said)
    shadow = policy.shadow or rule.shadow
    return _lowered(
        policy,
        verdict,
        rule.reason or f'rule "{rule.label}" says {rule.verdict}',
        rule.reason_code or "rule_match",
        rule=rule.label,
        priority=rule.priority,
        risk_factors=rule.risk_factors,
        source=str(rule.source),
        sanitize=rule.sanitize if verdict == "sanitize" and not shadow else None,
        shadow=shadow,
    )


def default_outcome(policy: Policy) -> Outcome:
    """The outcome when no rule matches."""
    verdict = policy.default_verdict
    reason = f'no rule of policy "{policy.name}" matches; its default_verdict is {verdict}'
    return _lowered(
        policy, verdict, reason, "default_verdict", source=str(policy.source), shadow=policy.shadow
    )


def settled(certain: Outcome, possible: list[Outcome], noted: list[Outcome]) -> Outcome:
    """Where a walk ends: ``certain`` is where it stopped, ``possible`` the rules before that may match, and
    ``noted`` those in shadow, which are only heard where the others let the call pass as it is."""
    found = strictest([*possible, certain]) if possible else certain
    return strictest(noted) if noted and (found.would_be or found.verdict) in PERMITTING else found


def strictest(outcomes: list[Outcome]) -> Outcome:
    """Of the rules that may match, in order, and what is certain after them: the strictest, first of a kind.

    What an outcome does comes first, and then the verdict that shadow replaced.
    """
    return min(outcomes, key=_strictness)


def _strictness(outcome: Outcome) -> tuple[int, int]:
    return STRICTNESS.index(outcome.verdict), STRICTNESS.index(outcome.would_be or outcome.verdict)


def of_all(outcomes: list[Outcome]) -> Outcome:
    """The outcome of a call that does several things: the strictest. What any rule redacts is redacted."""
    found = strictest(outcomes)
    if found.sanitize is None:
        return found
    configs = [outcome.sanitize for outcome in outcomes if outcome.sanitize is not None]
    merged = {key: [name for config in configs for name in config.get(key, ())] for key in _SANITIZE_KEYS}
    return found.changed(found.verdict, found.reason, found.reason_code, merged)


def no_destination_outcome(policy: Policy) -> Outcome:
    """The outcome of an egress call that does not say where it goes: closed."""
    reason = "the call gives no destination that can be read"
    return _lowered(policy, "deny", reason, "no_destination", source=str(policy.source), shadow=policy.shadow)


def unknown_inner_outcome(policy: Policy) -> Outcome:
    """The outcome of a meta-tool's call that does not say which tool it calls, with what: closed."""
    reason = "the call does not say, where `meta_tools` looks, which tool it calls with which arguments"
    return _lowered(
        policy, "deny", reason, "meta_tool_unknown", source=str(policy.source), shadow=policy.shadow
    )


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
    shadow: bool,
    rule: str | None = None,
    priority: int | None = None,
    risk_factors: tuple[str, ...] = (),
    sanitize: dict[str, list[str]] | None = None,
) -> Outcome:
    would_be = verdict if shadow and verdict in ENFORCING else None
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
        shadow=shadow,
        sanitize=sanitize,
    )
