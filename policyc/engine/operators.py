"""Clause operators: one small function each, in one table.

An operator says whether its value is usable (``check``) and turns it into a predicate on one selected
argument (``compile``). A predicate never raises: an argument of another type is simply false.
"""

from __future__ import annotations

from policyc.engine.text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable

    Predicate = Callable[[object], bool]


def is_number(value: object) -> bool:
    """Whether ``value`` is a JSON number; a bool is not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_scalar(value: object) -> bool:
    """Whether ``value`` is a JSON string, number, bool or null."""
    return value is None or isinstance(value, (str, int, float))


class Operator:
    """``check(value)`` is what is wrong with a value, or None; ``compile(value)`` is its predicate.

    Of an operator that ``may_be_unknown`` the predicate takes ``(argument, call, match)`` and may answer
    None: it looks at more of the call than the argument, and quantifies over parts of it by ``match``.
    """

    __slots__ = ("check", "compile", "may_be_unknown")

    def __init__(
        self,
        check: Callable[[object], str | None],
        compile: Callable[..., Callable[..., bool | None]],
        *,
        may_be_unknown: bool = False,
    ) -> None:
        self.check = check
        self.compile = compile
        self.may_be_unknown = may_be_unknown


# What is wrong with a value -------------------------------------------------------------------------


def _needs_scalar(value: object) -> str | None:
    return None if is_scalar(value) else f"needs a string, number, bool or null, not {kind(value)}"


def _needs_text(value: object) -> str | None:
    return None if isinstance(value, str) else f"needs a string, not {kind(value)}"


def _needs_number(value: object) -> str | None:
    return None if is_number(value) else f"needs a number, not {kind(value)}"


def _needs_bool(value: object) -> str | None:
    return None if isinstance(value, bool) else f"needs true or false, not {kind(value)}"


def _needs_list(value: object) -> str | None:
    if not isinstance(value, list):
        return f"needs a list, not {kind(value)}"
    for item in value:
        if not is_scalar(item):
            return f"needs a list of strings, numbers, bools or nulls; it holds {kind(item)}"
    return None


def _needs_regex(value: object) -> str | None:
    from policyc.engine.regex import RegexError, compile_regex

    if not isinstance(value, str):
        return _needs_text(value)
    try:
        compile_regex(value)
    except RegexError as error:
        return str(error)
    return None


def _needs_networks(value: object) -> str | None:
    from policyc.engine.addresses import AddressError, parse_network

    blocks = value if isinstance(value, list) else [value]
    if not blocks:
        return "needs at least one CIDR block"
    for block in blocks:
        if not isinstance(block, str):
            return f"needs a CIDR block (or a list of them), not {kind(block)}"
        try:
            parse_network(block)
        except AddressError as error:
            return str(error)
    return None


def kind(value: object) -> str:
    """The JSON type of ``value``, as said to people."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a bool"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


# Predicates -----------------------------------------------------------------------------------------


def _eq(expected: object) -> Predicate:
    if expected is None or isinstance(expected, bool):
        return lambda value: value is expected
    if isinstance(expected, str):
        return lambda value: isinstance(value, str) and clean(value) == expected
    return lambda value: is_number(value) and value == expected


def _in(expected: list[object]) -> Predicate:
    texts = frozenset(item for item in expected if isinstance(item, str))
    numbers = frozenset(item for item in expected if is_number(item))
    constants = [item for item in expected if item is None or isinstance(item, bool)]

    def member(value: object) -> bool:
        if isinstance(value, str):
            return clean(value) in texts
        if is_number(value):
            return value in numbers
        return any(value is constant for constant in constants)

    return member


def _text(test: Callable[[str, str], bool]) -> Callable[[str], Predicate]:
    def compile(expected: str) -> Predicate:
        return lambda value: isinstance(value, str) and test(clean(value), expected)

    return compile


def _regex(pattern: str) -> Predicate:
    from policyc.engine.regex import compile_regex

    search = compile_regex(pattern).search
    return lambda value: isinstance(value, str) and search(value)


def _cidr_match(expected: object) -> Predicate:
    from policyc.engine.addresses import parse_address, parse_network

    networks = [
        parse_network(str(block)) for block in (expected if isinstance(expected, list) else [expected])
    ]

    def inside(value: object) -> bool:
        if not isinstance(value, str):
            return False
        address = parse_address(value)
        return address is not None and any(address in network for network in networks)

    return inside


def _number(test: Callable[[float, float], bool]) -> Callable[[float], Predicate]:
    def compile(bound: float) -> Predicate:
        return lambda value: is_number(value) and test(value, bound)  # type: ignore[arg-type]

    return compile


def _exists(expected: bool) -> Predicate:
    # Asked of the selection, not of a value (clauses.py): a selected value exists.
    return lambda _value: expected


# Of engine modules that are imported when they are used: most plans need none of them.


def _late_check(module: str) -> Callable[[object], str | None]:
    return lambda value: __import__(f"policyc.engine.{module}", fromlist=["check"]).check(value)


def _late_judge(module: str) -> Callable[[object], Callable[..., bool | None]]:
    return lambda value: __import__(f"policyc.engine.{module}", fromlist=["judge"]).judge(value)


OPERATORS: dict[str, Operator] = {
    "eq": Operator(_needs_scalar, _eq),
    "contains": Operator(_needs_text, _text(lambda text, part: part in text)),
    "regex": Operator(_needs_regex, _regex),
    "in": Operator(_needs_list, _in),
    "cidr_match": Operator(_needs_networks, _cidr_match),
    "gt": Operator(_needs_number, _number(lambda value, bound: value > bound)),
    "lt": Operator(_needs_number, _number(lambda value, bound: value < bound)),
    "gte": Operator(_needs_number, _number(lambda value, bound: value >= bound)),
    "lte": Operator(_needs_number, _number(lambda value, bound: value <= bound)),
    "starts_with": Operator(_needs_text, _text(str.startswith)),
    "ends_with": Operator(_needs_text, _text(str.endswith)),
    "exists": Operator(_needs_bool, _exists),
    "path": Operator(_late_check("path_operator"), _late_judge("path_operator"), may_be_unknown=True),
    "host": Operator(_late_check("hosts"), _late_judge("hosts"), may_be_unknown=True),
    "shell": Operator(_late_check("shell"), _late_judge("shell_clauses"), may_be_unknown=True),
}
