"""The names of a call: one that is free, or at a hook an agent's own name together with the canonical one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from policyc.analysis.languages import Demand, globbed
from policyc.engine.dialects import load
from policyc.engine.dialects.tool_owners import OWNERS
from policyc.engine.globs import matches

#: An agent's name for a tool, and the canonical one.
Pair = tuple[str, str]

#: How an MCP tool's native name begins with one agent or another; its canonical name is `mcp.server.tool`.
_NATIVE_MCP = ("mcp__", "mcp_", "MCP:", "@")


@cache
def pairs() -> frozenset[Pair]:
    """Every built-in tool of every known agent, with each canonical name it may have."""
    return frozenset(
        (native, canonical)
        for native, targets in OWNERS.items()
        for target in targets
        if (tool := load(target).tools.get(native)) is not None
        for canonical in (tool.canonical, *tool.also)
    )


@dataclass(frozen=True, slots=True)
class Names:
    """``single``: what a name must meet that stands alone, None where none may; ``paired``: the others.
    ``inside`` are the globs that cover all of them."""

    single: frozenset[Demand] | None
    paired: frozenset[Pair]
    inside: frozenset[tuple[str, ...]] = frozenset()

    def covered(self, globs: tuple[str, ...], wanted: bool) -> Names:
        """Those that one of ``globs`` covers, or those that none does."""
        kept = frozenset(pair for pair in self.paired if _covers(globs, pair) is wanted)
        language = globbed(globs)
        if self.single is None or (language, not wanted) in self.single or (wanted and self._apart(globs)):
            return Names(None, kept, self.inside)
        if (language, wanted) in self.single:
            return self if kept == self.paired else Names(self.single, kept, self.inside)
        inside = self.inside | {globs} if wanted else self.inside
        return Names(self.single | {(language, wanted)}, kept, inside)

    def misses(self, globs: tuple[str, ...]) -> bool:
        """Whether it is plain that ``globs`` cover none of them."""
        if any(_covers(globs, pair) for pair in self.paired):
            return False
        return self.single is None or (globbed(globs), False) in self.single or self._apart(globs)

    def _apart(self, globs: tuple[str, ...]) -> bool:
        return any(_begin_apart(globs, other) for other in self.inside)


def every_name() -> Names:
    return Names(frozenset(), pairs())


def tells_native_mcp(globs: tuple[str, ...]) -> bool:
    """Whether a glob may cover an MCP tool by its native name and not by the canonical one: names that are
    not modelled."""
    return any(
        glob.startswith(start) or (start.startswith(glob.partition("*")[0]) and glob.strip("*"))
        for glob in globs
        for start in _NATIVE_MCP
        if "*" in glob or glob.startswith(start)
    )


@cache
def _begin_apart(globs: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether no name can be covered by both, as far as their first characters tell."""
    heads = [[glob.partition("*")[0] for glob in side] for side in (globs, others)]
    return not any(one.startswith(two) or two.startswith(one) for one in heads[0] for two in heads[1])


@cache
def _covers(globs: tuple[str, ...], pair: Pair) -> bool:
    return any(matches(glob, name) for glob in globs for name in pair)
