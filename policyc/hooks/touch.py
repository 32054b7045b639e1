"""Which of an agent's tools a bundle's policies can touch at a hook.

A rule touches a tool when its stage and its globs cover it, whatever its verdict and its clauses: ``allow``
may keep a later ``deny`` from matching, ``audit`` is wanted in the log, and arguments are not known before
the call. A default verdict touches calls only where it denies. Shadow changes nothing here: calls are
evaluated and logged as in production.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from policyc.engine.dialects.dialect import Dialect
from policyc.engine.dialects.reach import reachable


@dataclass(frozen=True, slots=True)
class Touched:
    """The agent's ``tools`` that a rule or default touches; ``every`` when a tool of any name is touched."""

    every: bool
    tools: frozenset[str]


def governing(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The policies that may govern an agent: the default, then the bound ones. ``data`` is a valid plan."""
    names = [data["default_policy"], *(binding["policy"] for binding in data["bindings"])]
    return {name: data["policies"][name] for name in names if name is not None}


def touched(data: Mapping[str, Any], dialect: Dialect) -> Touched:
    """What the governing policies touch of ``dialect``'s tools. ``data`` is a valid plan."""
    policies = governing(data).values()
    rules = [rule for policy in policies for rule in policy["rules"]]
    # Where no policy governs an agent, everything it does is denied.
    denies = data["default_policy"] is None or any(policy["default_verdict"] == "deny" for policy in policies)
    meta_tools = [glob for entry in data.get("meta_tools", ()) for glob in entry["tools"]]
    if denies or any(_covers_every_name(rule) for rule in rules) or _has_every_name(meta_tools):
        return Touched(True, frozenset(dialect.tools))
    found = [reachable(_globs(rule), rule["stages"], dialect) for rule in rules]
    # What a rule touches may be called by one of these.
    found += [reachable(meta_tools, None, dialect)] if meta_tools else []
    return Touched(False, frozenset().union(*found))


def at_hooks(stages: Iterable[str] | None) -> bool:
    """Whether a rule with these stages is evaluated at a hook at all."""
    return stages is None or "hook" in stages


def _globs(rule: Mapping[str, Any]) -> list[str] | None:
    """The tools whose calls the rule has to see: those it is about, and those that are steps before."""
    sequence = rule.get("sequence")
    if rule["tools"] is None or sequence is None:
        return rule["tools"]  # type: ignore[no-any-return]
    return [*rule["tools"], *(step["match"] for step in sequence["steps"])]


def _covers_every_name(rule: Mapping[str, Any]) -> bool:
    tools = _globs(rule)
    return at_hooks(rule["stages"]) and (tools is None or _has_every_name(tools))


def _has_every_name(globs: Iterable[str]) -> bool:
    return any(not glob.strip("*") for glob in globs)
