"""The shortest text that meets what several languages demand, held against the engine's own matching."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.analysis.budget import Budget, Exhausted
from policyc.analysis.languages import (
    Demand,
    beginning,
    containing,
    ending,
    equal_to,
    globbed,
    searched,
    shortest,
)
from policyc.engine.globs import matches
from policyc.engine.regex import compile_regex

PATTERNS = (
    "x",
    "^x",
    "x$",
    r"\bx\b",
    "x{2,3}",
    "(?i)xy",
    "[^x]y",
    "^(?:x|yy)*$",
    "x.y",
    r"^\s",
    "é",
    "(?m)^y",
)
GLOBS = ("x*", "*y", "*x*y*", "x", "*", "", "x.*")

_texts = st.text("xyXY .é\n", max_size=6)


@given(st.sampled_from(PATTERNS), _texts)
def test_a_pattern_is_the_engines(pattern: str, text: str) -> None:
    assert (text in searched(pattern)) is compile_regex(pattern).search(text)


@given(st.sampled_from(GLOBS), _texts)
def test_a_glob_is_the_engines(glob: str, text: str) -> None:
    assert (text in globbed((glob,))) is matches(glob, text)


@given(_texts, _texts)
def test_parts_of_texts(part: str, text: str) -> None:
    assert (text in beginning(part)) is text.startswith(part)
    assert (text in ending(part)) is text.endswith(part)
    assert (text in containing(part)) is (part in text)
    assert (text in equal_to((part, "other"))) is (text in (part, "other"))


_demands = st.lists(
    st.tuples(
        st.one_of(
            st.sampled_from(PATTERNS).map(searched), st.sampled_from(GLOBS).map(lambda glob: globbed((glob,)))
        ),
        st.booleans(),
    ),
    max_size=4,
)


@given(_demands, _texts)
def test_the_shortest_text_meets_all_and_none_is_shorter(demands: list[Demand], other: str) -> None:
    found = shortest(demands, Budget())
    meets = all((other in language) is wanted for language, wanted in demands)
    if found is None:
        assert not meets
    else:
        assert all((found in language) is wanted for language, wanted in demands)
        assert not meets or len(found) <= len(other)


def test_a_budget_runs_out() -> None:
    with pytest.raises(Exhausted, match="automaton states"):
        shortest([(searched("x{500}"), True)], Budget(states=100))
