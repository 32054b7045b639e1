"""What was probably meant."""

from __future__ import annotations

import pytest

from policyc.engine.model import STAGES, VERDICTS
from policyc.engine.operators import OPERATORS
from policyc.source.suggest import closest, did_you_mean


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("dney", VERDICTS, "deny"),
        ("DENY", VERDICTS, "deny"),
        ("block", VERDICTS, "deny"),
        ("pending-approval", VERDICTS, "pending_approval"),
        ("ask", VERDICTS, "pending_approval"),
        ("hooks", STAGES, "hook"),
        ("inbond", STAGES, "inbound"),
        (">=", OPERATORS, "gte"),
        ("equals", OPERATORS, "eq"),
        ("startswith", OPERATORS, "starts_with"),
        ("quantum", VERDICTS, None),
        ("", VERDICTS, None),
        ("x" * 1_000_000, VERDICTS, None),
    ],
)
def test_the_closest_name(word: str, known: tuple[str, ...], expected: str | None) -> None:
    assert closest(word, known) == expected


def test_without_a_close_one_a_short_choice_is_listed() -> None:
    assert did_you_mean("quantum", ["any", "all"]) == "there are: `any`, `all`"
    assert did_you_mean("quantum", []) is None
    assert did_you_mean("quantum", [str(number) for number in range(100)]) is None
