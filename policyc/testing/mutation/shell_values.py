"""Changes of a ``shell`` value: a key dropped, an alternative left out of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from policyc.engine.alternatives import listed
from policyc.testing.mutation.lists import Change, without_each
from policyc.testing.mutation.patterns import of_pattern


def of_shell(value: dict[str, Any]) -> Iterator[Change]:
    for key, expected in value.items():
        rest = {other: value[other] for other in value if other != key}
        if rest:
            yield f"{key} dropped", rest, _exempted(rest, expected) if key == "no_flag" else rest
        for what, changed, focus in _KEYS.get(key, _of_list)(key, expected):
            about = _exempted(rest, focus) if key == "no_flag" else {**rest, key: focus}
            yield what, {**value, key: changed}, about


def _exempted(rest: dict[str, Any], flags: Any) -> dict[str, Any]:
    """The commands that have a flag which exempts them."""
    return {**rest, "all_flags": [*listed(rest.get("all_flags", [])), listed(flags)[0]]}


def _of_list(key: str, expected: Any) -> Iterator[Change]:
    if isinstance(expected, list):
        yield from without_each(expected, key)


def _of_args(key: str, expected: Any) -> Iterator[Change]:
    words = expected.split() if isinstance(expected, str) else expected
    if len(words) > 1:
        yield f"{words[-1]!r} taken off the end of {key}", words[:-1], words[:-1]
    for place, word in enumerate(words):
        for what, rest, focus in _of_list(key, word):
            yield (
                what,
                [*words[:place], rest, *words[place + 1 :]],
                [*words[:place], focus, *words[place + 1 :]],
            )


def _of_code(key: str, expected: Any) -> Iterator[Change]:
    yield from _of_list(key, expected)
    patterns = listed(expected)
    for place, pattern in enumerate(patterns):
        for what, changed, focus in of_pattern(str(pattern)):
            yield f"{what} in {key}", [*patterns[:place], changed, *patterns[place + 1 :]], [focus]


_KEYS: Final[dict[str, Callable[[str, Any], Iterator[Change]]]] = {"args": _of_args, "code": _of_code}
