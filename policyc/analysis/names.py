"""The names of a call: one that is free, an MCP tool's with and without `mcp.` before it, or at a hook an
agent's own name together with the canonical one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from policyc.analysis.languages import Demand, globbed
from policyc.engine.dialects import load
from policyc.engine.dialects.tool_owners import OWNERS
from policyc.engine.globs import matches

#: An agent's name for a tool, and the canonical one.
Pair = tuple[str, str]

#: What the canonical name of an MCP tool has before its other name.
_MCP = "mcp."
#: How an MCP tool's native name begins with one agent or another; its canonical name is `mcp.server.tool`.
_NATIVE_MCP = ("mcp__", "mcp_", "MCP:", "@")
#: What stands between the parts of such names.
_BETWEEN = frozenset("_:@/-")
#: What agents write for a dot where an API takes none.
_DOT = "__"
#: An agent's name for every MCP tool.
_ANY_MCP = "use_mcp_tool"


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
    """``single``: what a name must meet that stands alone, None where none may; ``dotted``: what that of an
    MCP tool must meet that has the other one beside it; ``paired``: the others. ``inside`` are the globs that
    cover all of them."""

    single: frozenset[Demand] | None
    paired: frozenset[Pair]
    inside: frozenset[tuple[str, ...]] = frozenset()
    dotted: frozenset[Demand] | None = None

    def covered(self, globs: tuple[str, ...], wanted: bool) -> Names:
        """Those that one of ``globs`` covers, or those that none does."""
        kept = frozenset(pair for pair in self.paired if _covers(globs, pair) is wanted)
        single = self._met(self.single, globs, wanted)
        dotted = self._met(self.dotted, either(globs), wanted)
        inside = self.inside | {globs} if wanted else self.inside
        found = Names(single, kept, inside, dotted)
        return self if found == self else found

    def _met(
        self, demands: frozenset[Demand] | None, globs: tuple[str, ...], wanted: bool
    ) -> frozenset[Demand] | None:
        language = globbed(globs)
        if demands is None or (language, not wanted) in demands or (wanted and self._apart(globs)):
            return None
        return demands | {(language, wanted)}

    def misses(self, globs: tuple[str, ...]) -> bool:
        """Whether it is plain that ``globs`` cover none of them."""
        if any(_covers(globs, pair) for pair in self.paired):
            return False
        return all(
            demands is None or (globbed(names), False) in demands or self._apart(names)
            for demands, names in ((self.single, globs), (self.dotted, either(globs)))
        )

    def _apart(self, globs: tuple[str, ...]) -> bool:
        return any(_begin_apart(globs, either(other)) for other in self.inside)


def every_name() -> Names:
    return Names(frozenset(), pairs(), dotted=frozenset())


@cache
def either(globs: tuple[str, ...]) -> tuple[str, ...]:
    """Globs for the name of an MCP tool without `mcp.`: they cover it where ``globs`` cover either name."""
    left = set(globs)
    for char in _MCP:
        left = {rest for glob in left for rest in _after(glob, char)}
    return (*globs, *sorted(left - {*globs}))


def _after(glob: str, char: str) -> Iterator[str]:
    """Globs for what may follow where ``glob`` covers a name that begins with ``char``."""
    if not glob:
        yield "*"
    while glob.startswith("*"):
        yield glob
        glob = glob[1:]
    if glob.startswith(char) and glob[1:]:
        yield glob[1:]


def tells_native_mcp(globs: tuple[str, ...]) -> bool:
    """Whether a glob may cover an MCP tool by its native name and not by the canonical one: names that are
    not modelled."""
    return any(_tells(glob) for glob in globs if glob.strip("*"))


def _tells(glob: str) -> bool:
    if _DOT in glob:
        return True
    head, *pieces = glob.split("*")
    if not pieces:
        return glob.startswith(_NATIVE_MCP) or glob == _ANY_MCP
    if head:
        begins = any(start.startswith(head) or head.startswith(start) for start in _NATIVE_MCP)
        return begins or matches(glob, _ANY_MCP)
    # Server and tool are in both names, in one order: what is found in one of them is found in either.
    return matches(glob, _ANY_MCP) or any(
        not _BETWEEN.isdisjoint(piece) or (piece and piece in "MCP") for piece in pieces
    )


@cache
def _begin_apart(globs: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether no name can be covered by both, as far as their first characters tell."""
    heads = [[glob.partition("*")[0] for glob in side] for side in (globs, others)]
    return not any(one.startswith(two) or two.startswith(one) for one in heads[0] for two in heads[1])


@cache
def _covers(globs: tuple[str, ...], pair: Pair) -> bool:
    return any(matches(glob, name) for glob in globs for name in pair)
