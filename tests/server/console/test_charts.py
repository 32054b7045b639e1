"""Bars are as high as what they count, and stay inside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policyc_server.console.charts import HEIGHT, MINUTE, ORDER, WIDTH, per_minute, round_up, shares, timeline

NOW = 100_000 * MINUTE + 5


def test_bars_stand_where_their_minute_is() -> None:
    rows = [
        {"minute": 100_000 * MINUTE, "verdict": "deny", "count": 5},
        {"minute": 99_941 * MINUTE, "verdict": "allow", "count": 10},
        {"minute": 99_940 * MINUTE, "verdict": "allow", "count": 99},  # an hour ago and out of sight
    ]
    chart = per_minute(rows, NOW, 60)
    assert [bar.total for bar in chart.bars] == [10, *[0] * 58, 5]
    assert chart.top == 10
    assert (chart.bars[0].parts[0].height, chart.bars[-1].parts[0].height) == (HEIGHT, HEIGHT / 2)
    assert chart.totals == {**dict.fromkeys(ORDER, 0), "allow": 10, "deny": 5}


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 59), st.sampled_from(ORDER)), st.integers(1, 10**9), max_size=100
    )
)
def test_nothing_leaves_the_chart(counts: dict[tuple[int, str], int]) -> None:
    rows = [
        {"minute": (100_000 - back) * MINUTE, "verdict": verdict, "count": count}
        for (back, verdict), count in counts.items()
    ]
    for bar in per_minute(rows, NOW, 60).bars:
        assert 0 <= bar.x <= bar.x + bar.width <= WIDTH
        assert all(0 <= part.y <= HEIGHT and part.height >= 1.5 for part in bar.parts)


@pytest.mark.parametrize(
    ("value", "top"), [(0, 1), (1, 1), (3, 5), (11, 20), (50, 50), (51, 100), (999, 1000)]
)
def test_the_top_is_a_round_number(value: int, top: int) -> None:
    assert round_up(value) == top


def test_shares_fill_the_bar() -> None:
    parts = shares({**dict.fromkeys(ORDER, 0), "allow": 3, "deny": 1}, 120)
    assert [(part.verdict, part.x, part.width) for part in parts] == [("allow", 0, 90), ("deny", 90, 30)]
    assert shares(dict.fromkeys(ORDER, 0), 120) == []


def test_marks_stand_at_their_time() -> None:
    marks = timeline([{"verdict": "deny", "at": at} for at in (10, 20, 15)], 10, 20)
    assert [mark.x for mark in marks] == [0, WIDTH - 4, (WIDTH - 4) / 2]
