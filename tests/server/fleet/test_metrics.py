"""One answer for all workers, which never goes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from policyc_server.fleet import metrics
from policyc_server.fleet.board import Board
from policyc_server.fleet.metrics import GroupExposition
from policyc_server.fleet.seat import Seat
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector


class Worker(Collector):
    """What one process counts."""

    def __init__(self, board: Board, number: int) -> None:
        self.count, self.waiting, self.failing = 0, 0, 0
        self.verdict = "deny"
        self.exposition = GroupExposition(self, Seat(number, board, Path()))

    def collect(self) -> Iterator[Metric]:
        decisions = CounterMetricFamily("policyc_decisions", "Decisions.", labels=["verdict"])
        decisions.add_metric([self.verdict], self.count)
        yield decisions
        latency = HistogramMetricFamily("policyc_decision_seconds", "Time.")
        latency.add_metric([], [("0.1", self.count), ("+Inf", 2 * self.count)], 0.5 * self.count)
        yield latency
        yield GaugeMetricFamily("policyc_events_waiting", "Waiting.", self.waiting)
        yield GaugeMetricFamily("policyc_reload_failing", "Failing.", self.failing)

    def scrape(self) -> dict[str, float]:
        return {
            ",".join([sample.name, *sample.labels.values()]): sample.value
            for family in text_string_to_metric_families(self.exposition.text().decode())
            for sample in family.samples
        }


def test_counters_and_histograms_are_sums_and_gauges_are_as_each_needs() -> None:
    board = Board(3)
    one, other = Worker(board, 0), Worker(board, 1)
    one.count, one.waiting, one.failing = 3, 4, 1
    other.count, other.waiting, other.verdict = 2, 5, "allow"
    other.exposition.publish()
    found = one.scrape()
    assert (found["policyc_decisions_total,deny"], found["policyc_decisions_total,allow"]) == (3, 2)
    assert found["policyc_decision_seconds_bucket,0.1"] == 5
    assert found["policyc_decision_seconds_count"] == 10
    assert found["policyc_decision_seconds_sum"] == 2.5
    assert (found["policyc_events_waiting"], found["policyc_reload_failing"]) == (9, 1)
    assert found["policyc_workers"] == 2
    assert other.scrape() == found


def test_no_scrape_is_below_the_one_before_whoever_answers() -> None:
    board = Board(2)
    workers = [Worker(board, 0), Worker(board, 1)]
    before = 0.0
    for turn in range(40):
        for worker in workers:
            worker.count += 7
        now = workers[turn % 2].scrape()["policyc_decisions_total,deny"]
        assert now >= before
        before = now


def test_a_successor_counts_on_and_a_dead_worker_has_no_gauges(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board(2)
    one, dead = Worker(board, 0), Worker(board, 1)
    dead.count, dead.waiting = 5, 9
    dead.exposition.publish()
    real = metrics.time.monotonic
    monkeypatch.setattr(metrics.time, "monotonic", lambda: real() + 60)
    found = one.scrape()
    assert (found["policyc_decisions_total,deny"], found["policyc_events_waiting"]) == (5, 0)
    assert found["policyc_workers"] == 1
    successor = Worker(board, 1)
    successor.count = 2
    assert successor.scrape()["policyc_decisions_total,deny"] == 7
    again = Worker(board, 1)
    assert again.scrape()["policyc_decisions_total,deny"] == 7
