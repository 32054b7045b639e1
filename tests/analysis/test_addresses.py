"""Texts in networks, held against the engine's own ``cidr_match``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyc.analysis.addresses import Undecided, address_for
from policyc.analysis.budget import Budget
from policyc.analysis.languages import beginning, equal_to
from policyc.engine.operators import OPERATORS

NETWORKS = (
    "10.0.0.0/8",
    "10.0.0.0/9",
    "10.128.0.0/9",
    "10.1.2.3/32",
    "0.0.0.0/0",
    "::/0",
    "fd00::/8",
    "::ffff:10.0.0.0/104",
)
SAMPLES = (
    "10.0.0.0",
    "10.1.2.3",
    "10.128.0.0",
    "10.255.255.255",
    "11.0.0.0",
    "::1",
    "fd00::",
    "::ffff:10.1.2.3",
    "x",
    "",
)

demands = st.lists(
    st.tuples(st.lists(st.sampled_from(NETWORKS), min_size=1, max_size=2).map(tuple), st.booleans()),
    max_size=4,
)


def meets(text, wanted):
    return all(OPERATORS["cidr_match"].compile(list(names))(text) is inside for names, inside in wanted)


@given(demands)
def test_what_is_found_is_in_the_networks_and_nothing_is_found_where_nothing_is(wanted):
    found = address_for([], wanted, Budget())
    if found is None:
        assert not any(meets(text, wanted) for text in SAMPLES)
    else:
        assert meets(found, wanted)


def test_automata_beside_networks_are_tried_and_never_guessed():
    inside = [(("10.0.0.0/8",), True)]
    assert address_for([(beginning("10."), True)], inside, Budget()) == "10.0.0.0"
    with pytest.raises(Undecided):
        address_for([(equal_to(("10.1.2.3",)), True)], inside, Budget())
