"""Sets of numbers, held against the comparisons that they stand for."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from policyc.analysis.numbers import ALL, NONE, Interval, Numbers, above, below, exactly

numbers = st.one_of(
    st.integers(-3, 3),
    st.integers(),
    st.sampled_from([0.5, -0.5, 1.0, 2.0**53, 10**400, -(10**400), 5e-324, 1.7976931348623157e308]),
    st.floats(allow_nan=False, allow_infinity=False),
)
sets = st.recursive(
    st.one_of(
        st.builds(above, numbers, inclusive=st.booleans()),
        st.builds(below, numbers, inclusive=st.booleans()),
        st.builds(exactly, st.lists(numbers, max_size=3)),
        st.sampled_from([ALL, NONE]),
    ),
    lambda inner: st.one_of(
        st.builds(Numbers.meet, inner, inner),
        st.builds(Numbers.complement, inner),
    ),
    max_leaves=5,
)


@given(numbers, numbers, st.booleans())
def test_bounds_are_comparisons(bound, number, inclusive):
    assert (number in above(bound, inclusive=inclusive)) is (number >= bound if inclusive else number > bound)
    assert (number in below(bound, inclusive=inclusive)) is (number <= bound if inclusive else number < bound)


@given(sets, sets, numbers)
def test_meet_and_complement(one, two, number):
    assert (number in one.meet(two)) is (number in one and number in two)
    assert (number in one.complement()) is (number not in one)


@given(sets)
def test_an_example_is_in_the_set_and_only_the_empty_set_has_none(one):
    example = one.example()
    assert (example is None) is (not one)
    assert example is None or example in one


def test_nothing_lies_between_two_neighbouring_doubles_but_integers():
    low, high = 1.0, math.nextafter(1.0, 2)
    assert Interval((low, False), None).meet(Interval(None, (high, False))) is None
    big = 2.0**60
    between = Interval((big, False), None).meet(Interval(None, (math.nextafter(big, math.inf), False)))
    assert between is not None
    assert isinstance(between.example(), int)
