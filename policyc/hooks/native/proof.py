"""Whether the policies deny a call whatever its arguments, shown from the order of their rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from policyc.bundle.errors import quote
from policyc.hooks.native.names import covers, may_touch
from policyc.hooks.native.prefixes import prefixes
from policyc.hooks.touch import at_hooks, governing


@dataclass(frozen=True)
class Subject:
    """Calls: each has all the names ``always``, and may have one of ``maybe`` (globs of names). With a
    ``prefix``, those whose command is an argument list that starts with it."""

    always: tuple[str, ...]
    maybe: tuple[str, ...] = ()
    prefix: tuple[str, ...] | None = None


def undenied(data: Mapping[str, Any], subject: Subject) -> str | None:
    """Why the calls of ``subject`` are not all denied; None where every policy that may govern denies each.

    ``data`` is a valid plan. A rule that permits, holds or rewrites counts wherever it might come first: its
    conditions are not looked at. Rules in shadow deny nothing.
    """
    policies = governing(data)
    if not policies:
        return "no policy governs"
    found = (_undenied(name, policy, subject) for name, policy in policies.items())
    return next((why for why in found if why is not None), None)


def _undenied(name: str, policy: Mapping[str, Any], subject: Subject) -> str | None:
    if policy["shadow"]:
        return f"policy {quote(name)} is in shadow"
    for rule in policy["rules"]:
        if is_recorded_only(rule) or not at_hooks(rule["stages"]) or not _may_touch(rule, subject):
            continue
        if rule["verdict"] not in ("deny", "cap_cost"):
            return f"{quote(rule['label'])} ({rule['verdict']}) may decide before it in policy {quote(name)}"
        if is_certain(rule, subject):
            return None
    return None if policy["default_verdict"] == "deny" else f"policy {quote(name)} does not always deny it"


#: Keys of a rule that make it match some calls of a tool only.
_CONDITIONS = ("egress", "skills", "cap_cost_cents", "rate", "sequence")


def is_recorded_only(rule: Mapping[str, Any]) -> bool:
    """Whether the rules after it decide."""
    return bool(rule.get("shadow")) or (rule.get("sequence") is not None and not rule.get("enforce"))


def is_certain(rule: Mapping[str, Any], subject: Subject) -> bool:
    """Whether ``rule`` matches every call of ``subject``."""
    globs = rule["tools"]
    if globs is not None and not any(covers(glob, name) for glob in globs for name in subject.always):
        return False
    if any(rule.get(key) is not None for key in _CONDITIONS):
        return False
    return not rule["clauses"] or _covers_prefix(rule, subject)


def _covers_prefix(rule: Mapping[str, Any], subject: Subject) -> bool:
    if subject.prefix is None:
        return False
    found = prefixes(rule["clauses"]) or []
    return any(subject.prefix[: len(words)] == words for words in found)


def _may_touch(rule: Mapping[str, Any], subject: Subject) -> bool:
    names = (*subject.always, *subject.maybe)
    return rule["tools"] is None or any(may_touch(glob, name) for glob in rule["tools"] for name in names)
