"""Which of an agent's tools a rule can touch at a hook."""

from __future__ import annotations

from policyc.engine.dialects.dialect import Dialect
from policyc.engine.globs import matches

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Iterable


def reachable(tools: Iterable[str] | None, stages: Iterable[str] | None, dialect: Dialect) -> set[str]:
    """The native names of ``dialect``'s tools that a rule with these globs and stages can match at stage
    ``hook``, by native or canonical name; None for either means all, as in a rule. Clauses are not looked at.
    """
    if stages is not None and "hook" not in stages:
        return set()
    if tools is None:
        return set(dialect.tools)
    globs = tuple(tools)
    return {
        name
        for name, tool in dialect.tools.items()
        if any(matches(glob, each) for glob in globs for each in (name, tool.canonical, *tool.also))
    }
