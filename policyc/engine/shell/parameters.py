"""``${name<operator><argument>}`` over constants; what is not modelled is not known."""

from __future__ import annotations

from collections.abc import Callable

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.fields import ENVIRONMENT, NUMBER, UNKNOWN, UNSET, Dynamic, tame

_SLICE = lazy_pattern(r"\s*(-?[0-9]{1,6})\s*(?::\s*(-?[0-9]{1,6})\s*)?")


def apply(operator: str, value: str | Dynamic, argument: Callable[[], str | Dynamic]) -> str | Dynamic:
    """The expansion; ``argument`` expands the argument, and is always called where the shell may do so."""
    if operator == "":
        return value
    if operator == "#" and argument is NO_ARGUMENT:
        return NUMBER
    symbol = operator[-1]
    if symbol in "-=+?" and operator[0] in ":-=+?":
        return _default(operator, value, argument)
    given = argument()
    if isinstance(value, Dynamic) or isinstance(given, Dynamic):
        return _hidden(value, given)
    function = _FUNCTIONS.get(operator)
    return UNKNOWN if function is None else function(value, given)


def NO_ARGUMENT() -> str:  # noqa: N802  (a marker: the form has no argument)
    return ""


def _default(operator: str, value: str | Dynamic, argument: Callable[[], str | Dynamic]) -> str | Dynamic:
    if isinstance(value, Dynamic):
        given = argument()
        return value if operator[-1] == "?" else _hidden(value, given)
    empty = value == "" and (operator[0] == ":" or value is UNSET)
    if operator[-1] == "+":
        return "" if empty else argument()
    return argument() if empty and operator[-1] in "-=" else value


def _hidden(value: str | Dynamic, given: str | Dynamic) -> Dynamic:
    return ENVIRONMENT if tame(value) and tame(given) else UNKNOWN


def _slice(value: str, argument: str) -> str | Dynamic:
    match = _SLICE.fullmatch(argument)
    if match is None:
        return UNKNOWN
    start = int(match.group(1))
    rest = value[start:] if start >= 0 or -start <= len(value) else ""
    return rest if match.group(2) is None else rest[: int(match.group(2))]


def _replace(every: bool) -> Callable[[str, str], str | Dynamic]:
    def replace(value: str, argument: str) -> str | Dynamic:
        old, _, new = argument.partition("/")
        if not old or old[0] in "#%" or _is_pattern(old):
            return UNKNOWN
        return value.replace(old, new, -1 if every else 1)

    return replace


def _without_start(longest: bool) -> Callable[[str, str], str | Dynamic]:
    def remove(value: str, pattern: str) -> str | Dynamic:
        if pattern.startswith("*") and not _is_pattern(pattern[1:]) and pattern != "*":
            _head, found, tail = (value.rpartition if longest else value.partition)(pattern[1:])
            return tail if found else value
        if _is_pattern(pattern):
            return UNKNOWN
        return value[len(pattern) :] if value.startswith(pattern) else value

    return remove


def _without_end(longest: bool) -> Callable[[str, str], str | Dynamic]:
    def remove(value: str, pattern: str) -> str | Dynamic:
        if pattern.endswith("*") and not _is_pattern(pattern[:-1]) and pattern != "*":
            head, found, _tail = (value.partition if longest else value.rpartition)(pattern[:-1])
            return head if found else value
        if _is_pattern(pattern):
            return UNKNOWN
        return value[: len(value) - len(pattern)] if pattern and value.endswith(pattern) else value

    return remove


def _case(change: Callable[[str], str], first: bool) -> Callable[[str, str], str | Dynamic]:
    def convert(value: str, pattern: str) -> str | Dynamic:
        if pattern:
            return UNKNOWN
        return change(value[:1]) + value[1:] if first else change(value)

    return convert


def _transform(value: str, letter: str) -> str | Dynamic:
    changes = {"U": value.upper(), "L": value.lower(), "u": value[:1].upper() + value[1:]}
    return changes.get(letter, UNKNOWN)


def _is_pattern(text: str) -> bool:
    return any(char in text for char in "*?[\\")


_FUNCTIONS: dict[str, Callable[[str, str], str | Dynamic]] = {
    ":": _slice,
    "/": _replace(False),
    "//": _replace(True),
    "#": _without_start(False),
    "##": _without_start(True),
    "%": _without_end(False),
    "%%": _without_end(True),
    "^": _case(str.upper, True),
    "^^": _case(str.upper, False),
    ",": _case(str.lower, True),
    ",,": _case(str.lower, False),
    "@": _transform,
}
