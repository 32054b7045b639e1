"""Globs of tool names against sets of tool names, which are globs too."""

from __future__ import annotations

from policyc.engine.globs import matches


def covers(glob: str, names: str) -> bool:
    """Whether ``glob`` certainly matches every name that ``names`` stands for.

    The stars of ``names`` are taken as they are: only a star of ``glob`` can match one, and it then matches
    whatever stands there.
    """
    return matches(glob, names)


def may_touch(glob: str, names: str) -> bool:
    """Whether ``glob`` may match one of the names: False only where no name can be both."""
    if "*" not in names:
        return matches(glob, names)
    if "*" not in glob:
        return not glob or matches(names, glob)
    heads, tails = (
        _sorted(glob.split("*")[0], names.split("*")[0]),
        _sorted(glob.split("*")[-1], names.split("*")[-1]),
    )
    return heads[1].startswith(heads[0]) and tails[1].endswith(tails[0])


def _sorted(left: str, right: str) -> list[str]:
    return sorted((left, right), key=len)
