from dataclasses import replace

import pytest

from policyc.bench.decisions import measure_decisions
from policyc.bench.scenarios import MadeCall, by_compound_line, by_name, by_regex, by_simple_command

SCENARIOS = [
    by_name(20, calls=40, tools=10),
    by_regex(20, calls=40, tools=10),
    by_simple_command(20, calls=40),
    by_compound_line(20, calls=40),
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_figures_are_of_right_decisions(scenario):
    figures = measure_decisions(scenario, walked=5)
    assert (figures.rules, figures.calls, figures.wrong) == (20, 40, 0)
    assert 0 < figures.p50_us <= figures.p99_us
    assert figures.times_faster == pytest.approx(figures.walk_us / figures.p50_us)
    assert figures.rules_per_tool >= 1


def test_a_wrong_decision_is_counted_for_both_ways():
    scenario = by_name(10, calls=10, tools=10)
    wrong = [MadeCall(scenario.calls[0].call, "another rule"), *scenario.calls[1:]]
    assert measure_decisions(replace(scenario, calls=wrong), walked=10).wrong == 2


def test_a_target_is_met_or_not():
    figures = measure_decisions(by_name(10, calls=10, tools=10), walked=1)
    assert replace(figures, p50_us=3.0).is_met
    assert not replace(figures, p50_us=3.1).is_met
