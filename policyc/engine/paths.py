"""JSONPath, run from the steps the compiler wrote: no parsing and no recursion at decision time.

A step is a small list: ``["field", name]``, ``["fields", [names]]``, ``["index", i]``, ``["indexes", [i]]``,
``["wildcard"]``, ``["slice", start, stop, step]``, ``["descent"]``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable

    Getter = Callable[[object], object]

MISSING = object()

_SINGULAR = frozenset({"field", "index"})


class PathError(ValueError):
    """Steps the engine does not know."""


def is_singular(steps: list[list[object]]) -> bool:
    """Whether the path selects at most one value."""
    return all(step[0] in _SINGULAR for step in steps)


def check_steps(steps: object) -> list[list[object]]:
    """``steps`` when each is well formed. Raises PathError."""
    if not isinstance(steps, list):
        raise PathError("steps are not a list")
    for step in steps:
        if not (
            isinstance(step, list)
            and step
            and isinstance(step[0], str)
            and step[0] in _SHAPES
            and _SHAPES[step[0]](step[1:])
        ):
            raise PathError(f"unknown step {step!r}")
    return steps


def select(steps: list[list[object]], document: object) -> list[object]:
    """Every value the path selects, in document order."""
    values = [document]
    for step in steps:
        values = _STEPS[step[0]](values, *step[1:])
    return values


def compile_singular(steps: list[list[object]]) -> Getter:
    """A getter for a singular path: ``getter(document)`` is the value or MISSING."""
    keys = [step[1] for step in steps if isinstance(step[1], (str, int))]
    if len(keys) == 1 and isinstance(keys[0], str):
        return _field_getter(keys[0])

    def get(document: object) -> object:
        for key in keys:
            if isinstance(key, str):
                document = document.get(key, MISSING) if isinstance(document, dict) else MISSING
            elif isinstance(document, list) and -len(document) <= key < len(document):
                document = document[key]
            else:
                return MISSING
        return document

    return get


def _field_getter(name: str) -> Getter:
    # Most paths are one field, and most time per decision goes into getting it.
    def get(document: object) -> object:
        return document.get(name, MISSING) if isinstance(document, dict) else MISSING

    return get


def _field(values: list[object], name: str) -> list[object]:
    return [value[name] for value in values if isinstance(value, dict) and name in value]


def _fields(values: list[object], names: list[str]) -> list[object]:
    return [value[name] for value in values if isinstance(value, dict) for name in names if name in value]


def _index(values: list[object], index: int) -> list[object]:
    return _indexes(values, [index])


def _indexes(values: list[object], indexes: list[int]) -> list[object]:
    return [
        value[index]
        for value in values
        if isinstance(value, list)
        for index in indexes
        if -len(value) <= index < len(value)
    ]


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list) else []


def _wildcard(values: list[object]) -> list[object]:
    return [child for value in values for child in _children(value)]


def _slice(values: list[object], start: int | None, stop: int | None, step: int | None) -> list[object]:
    return [item for value in values if isinstance(value, list) for item in value[start:stop:step]]


def _descent(values: list[object]) -> list[object]:
    """Each value and everything below it; iterative, so that no nesting is too deep.

    A container is visited once: ``$..a..b`` reaches inner ones on many ways, and each way would multiply.
    """
    found = []
    seen: set[int] = set()
    stack = values[::-1]
    while stack:
        value = stack.pop()
        if isinstance(value, (dict, list)):
            if id(value) in seen:
                continue
            seen.add(id(value))
            stack.extend(_children(value)[::-1])
        found.append(value)
    return found


_STEPS: dict[object, Callable[..., list[object]]] = {
    "field": _field,
    "fields": _fields,
    "index": _index,
    "indexes": _indexes,
    "wildcard": _wildcard,
    "slice": _slice,
    "descent": _descent,
}


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _list_of(value: object, is_one: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(is_one(item) for item in value)


_SHAPES: dict[object, Callable[[list[object]], bool]] = {
    "field": lambda rest: len(rest) == 1 and isinstance(rest[0], str),
    "fields": lambda rest: len(rest) == 1 and _list_of(rest[0], lambda item: isinstance(item, str)),
    "index": lambda rest: len(rest) == 1 and _whole(rest[0]),
    "indexes": lambda rest: len(rest) == 1 and _list_of(rest[0], _whole),
    "wildcard": lambda rest: not rest,
    "slice": lambda rest: len(rest) == 3 and all(x is None or _whole(x) for x in rest) and rest[2] != 0,
    "descent": lambda rest: not rest,
}
