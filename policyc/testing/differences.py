"""What a decision says otherwise than was expected of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from policyc.engine.decision import arguments
from policyc.engine.model import Call, Outcome
from policyc.runs.canonical import canonical
from policyc.testing.case import Expected


@dataclass(frozen=True, slots=True)
class Difference:
    """``key`` of what was expected; ``expected`` and ``got`` are JSON values."""

    key: str
    expected: object
    got: object


_SAID: dict[str, Callable[[Outcome, Call], object]] = {
    "verdict": lambda outcome, _call: outcome.verdict,
    "rule": lambda outcome, _call: outcome.rule,
    "policy": lambda outcome, _call: outcome.policy,
    "reason": lambda outcome, _call: outcome.reason,
    "reason_code": lambda outcome, _call: outcome.reason_code,
    "would_be": lambda outcome, _call: outcome.would_be,
    "args": arguments,
}


def differences(expected: Expected, outcome: Outcome, call: Call) -> Iterator[Difference]:
    """Each key of ``expected`` that the decision does not meet, in their order. A reason need only be a part
    of the decision's."""
    for key, wanted in expected.items():
        got = _SAID[key](outcome, call)
        if not _MET.get(key, _equal)(got, wanted):
            yield Difference(key, wanted, got)


def _equal(got: Any, wanted: Any) -> bool:
    return bool(got == wanted)


#: How a value meets what was expected, where it need not be equal; of arguments, `true` is not 1.
_MET: dict[str, Callable[[Any, Any], bool]] = {
    "reason": lambda got, wanted: wanted in got,
    "args": lambda got, wanted: canonical(got) == canonical(wanted),
}
