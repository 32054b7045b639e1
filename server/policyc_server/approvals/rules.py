"""What the rules of a plan say about holds, made once when the plan is activated."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from policyc.runs.canonical import canonical


@dataclass(frozen=True, slots=True)
class HoldRule:
    """``ttl`` in seconds and ``approvers`` as the rule has them, and a digest of the rule as it stands."""

    ttl: int | None
    approvers: tuple[str, ...]
    digest: str


def hold_rules(plan: Mapping[str, Any]) -> dict[tuple[str, str], HoldRule]:
    """The rules that hold calls, by policy and label, of a plan's data that was loaded."""
    return {
        (name, rule["label"]): _hold_rule(rule)
        for name, policy in plan["policies"].items()
        for rule in policy["rules"]
        if rule["verdict"] == "pending_approval"
    }


def _hold_rule(rule: Mapping[str, Any]) -> HoldRule:
    # Where the rule is written is not what it says.
    said = {key: value for key, value in rule.items() if key != "source"}
    approval = rule.get("approval") or {}
    return HoldRule(
        approval.get("ttl"),
        tuple(approval.get("approvers") or ()),
        hashlib.sha256(canonical(said)).hexdigest(),
    )
