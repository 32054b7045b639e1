"""All checks over the policies of one bundle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from policyc.analysis.lint.finding import Finding, Linted, Unsettled
from policyc.analysis.lint.open_arguments import fails_open
from policyc.analysis.lint.patterns import holes
from policyc.analysis.lint.posture import posture
from policyc.analysis.lint.reach import redundant, unreachable
from policyc.analysis.lint.silencing import silence
from policyc.analysis.lint.tool_list import ToolList, unknown_tools
from policyc.engine.model import Policy
from policyc.engine.plan import Plan

#: A rule that several policies have is at fault where it is in all of them.
_IN_EVERY_POLICY: tuple[Callable[[Policy], Iterator[Finding | Unsettled]], ...] = (
    unreachable,
    redundant,
    fails_open,
)
#: Of such a rule nothing else is said.
_DEAD = frozenset({"unreachable_rule", "allow_hides_deny", "never_matches"})


def lint(plan: Plan, sources: Mapping[str, bytes], tools: ToolList | None = None) -> Linted:
    """What is wrong with the bundle's own files; ``sources`` by path, as the compiler gives them. Rules of
    bundles that ship with policyc are looked at as context alone."""
    linted = Linted()
    found = [*posture(plan)]
    policies = [plan.policies[name] for name in sorted(plan.policies)]
    for policy in policies:
        found += holes(policy)
        found += [] if tools is None else unknown_tools(policy, tools)
    found += _everywhere(policies, linted)
    own = {finding for finding in found if not finding.path.startswith("preset:")}
    silence(_one_each(own), sources, _starts(policies), linted)
    return linted


def _everywhere(policies: list[Policy], linted: Linted) -> Iterator[Finding]:
    seen: dict[tuple[str, int], int] = {}
    places: dict[tuple[str, int, str], list[Finding]] = {}
    for policy in policies:
        for rule in policy.rules:
            place = rule.source.path, rule.source.line
            seen[place] = seen.get(place, 0) + 1
        for check in _IN_EVERY_POLICY:
            for found in check(policy):
                if isinstance(found, Unsettled):
                    linted.unknown += [] if found.text in linted.unknown else [found.text]
                else:
                    places.setdefault((found.path, found.line, found.code), []).append(found)
    for (path, line, _code), findings in places.items():
        if len(findings) == seen[path, line]:
            yield findings[0]


def _one_each(findings: set[Finding]) -> list[Finding]:
    """The first of each code at each place, and nothing more of a rule that never decides."""
    dead = {(it.path, it.line) for it in findings if it.code in _DEAD}
    kept: dict[tuple[str, int, str, str], Finding] = {}
    for finding in sorted(findings):
        if (finding.path, finding.line) not in dead or finding.code in _DEAD:
            kept.setdefault((finding.path, finding.line, finding.code, finding.message), finding)
    return list(kept.values())


def _starts(policies: list[Policy]) -> dict[str, list[int]]:
    lines: dict[str, set[int]] = {}
    for policy in policies:
        for rule in policy.rules:
            lines.setdefault(rule.source.path, set()).add(rule.source.line)
    return {path: sorted(found) for path, found in lines.items()}
