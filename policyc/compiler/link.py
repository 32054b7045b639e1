"""Policies with the rules they take over, in evaluation order."""

from __future__ import annotations

from typing import Any

from policyc.compiler.graph import Graph
from policyc.compiler.policy_file import PolicyFile
from policyc.compiler.references import filled
from policyc.compiler.reporting import Reporting
from policyc.compiler.rules import LoweredRule
from policyc.compiler.scope import Library

#: Rules in all policies together, taken-over ones counted wherever they are.
MAX_RULES = 1_000_000
_DEFAULT_VERDICT = "audit"

#: priority, whether taken over, path, position, rule as data
_Entry = tuple[int, bool, str, int, dict[str, Any]]


def link(library: Library, reporting: Reporting) -> dict[str, Any]:
    """``policies`` of data.json: those of the bundle, by name."""
    graph = Graph(library, reporting)
    linker = _Linker(library, graph, reporting)
    return {name: linker.policy(policy) for name, policy in sorted(library.own.policies.items())}


class _Linker:
    def __init__(self, library: Library, graph: Graph, reporting: Reporting) -> None:
        self._library = library
        self._graph = graph
        self._reporting = reporting
        self._filled: dict[str, list[dict[str, Any]]] = {}
        self._clashes: set[tuple[str, str, str]] = set()
        self._rules = 0

    def policy(self, policy: PolicyFile) -> dict[str, Any]:
        inherited = self._graph.inherited(policy)
        if inherited:
            self._check_labels(policy, inherited)
        entries = [
            entry for source in (policy, *inherited) for entry in self._entries(source, source is not policy)
        ]
        entries.sort(key=_order)
        default_verdict, shadow = self._settings(policy)
        return {
            "default_verdict": default_verdict,
            "shadow": shadow,
            "description": policy.description,
            "source": {"path": policy.path, "line": policy.line},
            "rules": [entry[4] for entry in entries] if self._within_bounds(policy, len(entries)) else [],
        }

    def _entries(self, policy: PolicyFile, inherited: bool) -> list[_Entry]:
        rules = self._filled.get(policy.path)
        if rules is None:
            rules = self._filled[policy.path] = filled(
                policy, self._library.scope_of(policy), self._reporting
            )
        return [
            (rule.priority, inherited, policy.path, rule.number, data)
            for rule, data in zip(policy.rules, rules, strict=True)
        ]

    def _within_bounds(self, policy: PolicyFile, rules: int) -> bool:
        self._rules += rules
        if self._rules > MAX_RULES:
            message = f"with this policy's included rules the bundle has more than {MAX_RULES:,} rules"
            self._reporting.of_bundle("too_many_rules", policy.path, message, "include less")
        return self._rules <= MAX_RULES

    def _settings(self, policy: PolicyFile) -> tuple[str, bool]:
        """``default_verdict`` and ``shadow``, from the nearest of the policy and its bases that gives one."""
        verdict, shadow = policy.default_verdict, policy.shadow
        seen = {policy.path}
        base = self._graph.base(policy)
        while base is not None and base.path not in seen:
            seen.add(base.path)
            verdict = verdict or base.default_verdict
            shadow = base.shadow if shadow is None else shadow
            base = self._graph.base(base)
        return verdict or _DEFAULT_VERDICT, bool(shadow)

    def _check_labels(self, policy: PolicyFile, inherited: list[PolicyFile]) -> None:
        """Labels of different files that meet in ``policy``; equal ones in one file were reported there."""
        first: dict[str, tuple[PolicyFile, LoweredRule]] = {}
        for source in (policy, *inherited):
            for rule in source.rules:
                other, there = first.setdefault(rule.data["label"], (source, rule))
                if other is not source:
                    # At the policy's own rule where one of the two is its own: that one can be changed here.
                    own = other is policy
                    self._report_clash(
                        policy, *((other, there, source, rule) if own else (source, rule, other, there))
                    )

    def _report_clash(
        self, policy: PolicyFile, here: PolicyFile, rule: LoweredRule, other: PolicyFile, there: LoweredRule
    ) -> None:
        label = rule.data["label"]
        pair = (label, *sorted((here.path, other.path)))
        if pair in self._clashes:
            return
        self._clashes.add(pair)
        where = f"{other.path}:{there.label_place[0]}:{there.label_place[1]}"
        message = (
            f"the label `{label}` is also that of a rule at {where}; both act in the policy `{policy.name}`"
        )
        self._reporting.add(
            "duplicate_label",
            here.path,
            rule.label_place,
            rule.label_at,
            message,
            "give each rule its own label",
        )


def _order(entry: _Entry) -> tuple[int, bool, str, int]:
    return entry[:4]
