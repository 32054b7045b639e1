"""Whether some call of a tool could pass, without knowing its arguments: what a list of tools may show."""

from __future__ import annotations

from collections.abc import Sequence

from policyc.engine.globs import matches
from policyc.engine.model import Policy
from policyc.engine.specialise import is_unconditional
from policyc.engine.text import clean

_STOPPING = ("deny", "cap_cost")


def may_pass(policy: Policy | None, names: Sequence[str], stage: str) -> bool:
    """False where every call of the tool with these ``names`` is denied, whatever its arguments.

    True is no promise: a rule that lets something pass may ask for what no call has. A hold may be approved.
    """
    if policy is None:
        return False
    if policy.shadow:
        return True
    known = [clean(name) for name in names]
    for rule in policy.rules:
        if rule.shadow or (rule.stages is not None and stage not in rule.stages):
            continue
        if rule.tools is not None and not any(matches(glob, name) for glob in rule.tools for name in known):
            continue
        if rule.verdict not in _STOPPING:
            return True
        if is_unconditional(rule):
            return False
    return policy.default_verdict != "deny"
