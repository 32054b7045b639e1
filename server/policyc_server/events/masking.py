"""``mask`` of a bundle: the values at these paths are replaced before anything is kept."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from policyc.engine.model import Call
from policyc.engine.paths import select

#: The steps of a compiled JSONPath.
MaskPath = list[list[object]]

MASKED = "[masked]"

#: Shorter texts are in others by chance.
_SHORTEST_INSIDE = 4


def mask_call(call: Call, paths: Sequence[MaskPath]) -> object:
    """What the agent sent, masked: also where a path speaks of an argument by its canonical name."""
    if not paths:
        return call.native_args
    return hide(mask(call.native_args, paths), secrets_of(call, paths))


def secrets_of(call: Call, paths: Sequence[MaskPath]) -> list[str]:
    """The texts that ``paths`` select, by whatever name of an argument; the longest first."""
    seen = [call.native_args, *(part.args for part in call.parts)]
    found = {
        text for args in seen for steps in paths for value in select(steps, args) for text in _texts(value)
    }
    return sorted(found, key=lambda text: (-len(text), text))


def hide(value: object, secrets: Sequence[str]) -> Any:
    """``value`` without ``secrets``: each as a whole, and a longer one also inside of a text."""
    if isinstance(value, str):
        if value in secrets:
            return MASKED
        for secret in secrets:
            value = value.replace(secret, MASKED) if len(secret) >= _SHORTEST_INSIDE else value
        return value
    if isinstance(value, list):
        return [hide(item, secrets) for item in value]
    if isinstance(value, dict):
        return {key: hide(item, secrets) for key, item in value.items()}
    return value


def _texts(value: object) -> Iterator[str]:
    """Every text in ``value``, and every number as one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


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
