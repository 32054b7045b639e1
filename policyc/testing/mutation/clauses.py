"""Changes of one clause: dropped, negated, its bound moved, a part of its value left out."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from policyc.engine.alternatives import listed
from policyc.engine.model import Clause
from policyc.testing.mutation.copies import changed
from policyc.testing.mutation.lists import Change, without_each
from policyc.testing.mutation.patterns import of_pattern
from policyc.testing.mutation.shell_values import of_shell


@dataclass(frozen=True, slots=True)
class ClauseChange:
    """``clause`` stands in the place of the one that was changed, None where it was dropped. ``focus`` is a
    clause for which calls tell the two apart, None where nothing more is asked of them."""

    kind: str
    what: str
    clause: Clause | None
    focus: Clause | None


def of_clause(clause: Clause) -> Iterator[ClauseChange]:
    named = f"clause {clause.path} {'not ' if clause.negated else ''}{clause.op}"
    yield ClauseChange("clause_dropped", f"{named} dropped", None, _plain(clause) if clause.negated else None)
    if clause.op != "exists":
        flipped = changed(clause, negated=not clause.negated)
        yield ClauseChange("clause_negated", f"{named} negated", flipped, clause)
    for what, value, focus in _VALUES.get(clause.op, _nothing)(clause.value):
        about = changed(_plain(clause), value=focus)
        yield ClauseChange("value_changed", f"{named}: {what}", changed(clause, value=value), about)
    for op, value in _bounds(clause):
        moved = changed(clause, op=op, value=value)
        yield ClauseChange("bound_moved", f"{named} {clause.value} made {op} {value}", moved, moved)


def _plain(clause: Clause) -> Clause:
    """The clause without ``not``: what it takes away."""
    return changed(clause, negated=False, match="any") if clause.negated else clause


def _bounds(clause: Clause) -> Iterator[tuple[str, Any]]:
    """The next wider and the next narrower bound."""
    value = clause.value
    if clause.op in _STRICT:
        yield _STRICT[clause.op], value
        if isinstance(value, int):
            yield clause.op, value + (1 if clause.op == "gt" else -1)
    elif clause.op in _INCLUSIVE:
        yield _INCLUSIVE[clause.op], value
        if isinstance(value, int):
            yield clause.op, value - (1 if clause.op == "gte" else -1)
    elif clause.op in _ANCHORED:
        yield "contains", value


_STRICT: Final = {"gt": "gte", "lt": "lte"}
_INCLUSIVE: Final = {"gte": "gt", "lte": "lt"}
_ANCHORED: Final = ("starts_with", "ends_with")


def _of_list(value: Any) -> Iterator[Change]:
    yield from without_each(listed(value), "the list")


def _of_networks(value: Any) -> Iterator[Change]:
    names = listed(value)
    yield from _of_list(value)
    for place, name in enumerate(names):
        network = ipaddress.ip_network(str(name), strict=False)
        wider = [network.supernet()] if network.prefixlen else []
        for other in [*wider, *([next(network.subnets())] if network.num_addresses > 1 else [])]:
            yield f"{name} made {other}", [*names[:place], str(other), *names[place + 1 :]], [str(other)]


def _nothing(_value: Any) -> Iterator[Change]:
    return iter(())


_VALUES: Final[dict[str, Callable[[Any], Iterator[Change]]]] = {
    "in": _of_list,
    "path": _of_list,
    "host": _of_list,
    "cidr_match": _of_networks,
    "regex": of_pattern,
    "shell": of_shell,
}
