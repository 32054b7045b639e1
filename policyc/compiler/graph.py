"""Who includes and extends whom: resolved names, cycles, and what a policy takes over from others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from policyc.compiler.policy_file import Mention, PolicyFile
from policyc.compiler.reporting import Reporting
from policyc.compiler.scope import Library


@dataclass(frozen=True, slots=True)
class Edge:
    """``source`` takes over from ``target``, as ``mention`` says; ``base`` when by ``extends``."""

    source: PolicyFile
    target: PolicyFile
    mention: Mention
    base: bool


class Graph:
    """The edges of every policy, by its path. Iterative: a chain may be as long as there are files."""

    def __init__(self, library: Library, reporting: Reporting) -> None:
        self._library = library
        self._reporting = reporting
        self._edges: dict[str, tuple[Edge, ...]] = {}
        self._done: set[str] = set()
        for policy in library.own.policies.values():
            self._explore(policy)

    def base(self, policy: PolicyFile) -> PolicyFile | None:
        """The policy that ``policy`` extends."""
        return next((edge.target for edge in self._edges[policy.path] if edge.base), None)

    def inherited(self, policy: PolicyFile) -> list[PolicyFile]:
        """Every policy whose rules ``policy`` takes over, each once, in the order of their paths."""
        found: dict[str, PolicyFile] = {policy.path: policy}
        pending = [policy]
        while pending:
            for edge in self._edges[pending.pop().path]:
                if edge.target.path not in found:
                    found[edge.target.path] = edge.target
                    pending.append(edge.target)
        return [found[path] for path in sorted(found) if path != policy.path]

    def _explore(self, start: PolicyFile) -> None:
        """Depth first from ``start``, reporting each edge that leads back to where it came from."""
        if start.path in self._done:
            return
        trail: list[Edge] = []
        pending: list[Iterator[Edge]] = [self._resolve(start)]
        on_trail = {start.path: 0}
        while pending:
            edge = next(pending[-1], None)
            if edge is None:
                pending.pop()
                policy = trail.pop().target if trail else start
                del on_trail[policy.path]
                self._done.add(policy.path)
            elif edge.target.path in on_trail:
                self._report_cycle([*trail[on_trail[edge.target.path] :], edge])
            elif edge.target.path not in self._done:
                trail.append(edge)
                on_trail[edge.target.path] = len(trail)
                pending.append(self._resolve(edge.target))

    def _resolve(self, policy: PolicyFile) -> Iterator[Edge]:
        mentions = [(mention, False) for mention in policy.include]
        if policy.extends is not None:
            mentions.insert(0, (policy.extends, True))
        edges = []
        for mention, base in mentions:
            target = self._library.find(mention, policy)
            if target is not None:
                edges.append(Edge(policy, target, mention, base))
            elif self._library.unknown(policy):
                self._report_unknown(mention, policy, base)
        self._edges[policy.path] = tuple(edges)
        return iter(edges)

    def _report_unknown(self, mention: Mention, policy: PolicyFile, base: bool) -> None:
        key = "extends" if base else "include"
        message = f"`{key}` names `{mention.name}`, which is neither a policy of this bundle nor a preset"
        preset, dot, name = mention.name.partition(".")
        if dot and self._library.is_preset(preset):
            message = f"`{key}` names `{mention.name}`, but the preset `{preset}` has no policy `{name}`"
        suggestion = self._library.suggestion(mention.name, policy)
        names = self._library.names(mention.name, policy)
        listed = f"there are: {', '.join(f'`{name}`' for name in names[:16])}" if names else None
        hint = f"did you mean `{suggestion}`?" if suggestion else listed
        self._reporting.add("unknown_policy", policy.path, mention.place, mention.at, message, hint)

    def _report_cycle(self, cycle: list[Edge]) -> None:
        names = [edge.source.name for edge in cycle]
        chain = " -> ".join(f"`{name}`" for name in [*names, names[0]])
        only_bases = all(edge.base for edge in cycle)
        code, word = ("extends_cycle", "extend") if only_bases else ("include_cycle", "include")
        last = cycle[-1]
        message = (
            f"these policies {word} each other: {chain}" if len(cycle) > 1 else f"it {word}s itself: {chain}"
        )
        self._reporting.add(code, last.source.path, last.mention.place, last.mention.at, message)
