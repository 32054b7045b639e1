"""``mask`` of a bundle: the values at these paths are replaced before anything is kept."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from policyc.engine.paths import select

#: The steps of a compiled JSONPath.
MaskPath = list[list[object]]

MASKED = "[masked]"


def mask(args: object, paths: Sequence[MaskPath]) -> object:
    """A copy of ``args`` with ``[masked]`` in place of every value that a path selects."""
    masked = copy.deepcopy(args)
    for steps in paths:
        # What one step stands for in a container is that container's affair; before it, steps select.
        if not steps or steps[-1][0] == "descent":
            return MASKED
        for container in select(steps[:-1], masked):
            _hide(container, steps[-1])
    return masked


def _hide(container: Any, step: list[Any]) -> None:
    for key in _keys(container, step):
        container[key] = MASKED


def _keys(container: object, step: list[Any]) -> list[Any]:
    """What ``step`` selects in ``container``, as keys or positions."""
    kind, *rest = step
    if isinstance(container, dict):
        names = list(container) if kind == "wildcard" else _NAMED.get(kind, _none)(rest)
        return [name for name in names if name in container]
    if isinstance(container, list):
        positions = range(len(container))
        if kind in ("wildcard", "slice"):
            return list(positions[slice(*rest)] if rest else positions)
        return [
            index for index in _NUMBERED.get(kind, _none)(rest) if -len(container) <= index < len(container)
        ]
    return []


def _one(rest: list[Any]) -> list[Any]:
    return rest


def _several(rest: list[Any]) -> list[Any]:
    return list(rest[0])


def _none(_rest: list[Any]) -> list[Any]:
    return []


_NAMED = {"field": _one, "fields": _several}
_NUMBERED = {"index": _one, "indexes": _several}
