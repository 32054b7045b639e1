"""`/metrics`: plain numbers counted on the event loop, turned into Prometheus families when scraped.

prometheus-client's own counters take a lock for each increment; requests here all run on one thread, so a
dictionary is enough. Labels come from closed sets (and the rules that were served), and `policyc_info` has
exactly one series.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from policyc.engine.model import Outcome
from policyc_server.approvals.health import ApprovalHealth
from policyc_server.budgets.counting import Budgets
from policyc_server.events.kept import Kept
from policyc_server.sink import DecisionSink
from policyc_server.snapshot import Serving

_BOUNDS = (25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 50e-3, 250e-3)
_LABELS = (*(f"{bound:g}" for bound in _BOUNDS), "+Inf")


class RequestMetrics:
    """What requests count; only the event loop's thread calls it."""

    __slots__ = ("decisions", "latency", "refused", "seconds", "shadowed")

    def __init__(self) -> None:
        self.decisions: Counter[tuple[str, str]] = Counter()
        self.refused: Counter[str] = Counter()
        self.shadowed: Counter[tuple[str, str, str]] = Counter()
        self.latency = [0] * len(_LABELS)
        self.seconds = 0.0

    def decided(self, surface: str, outcome: Outcome, seconds: float) -> None:
        self.decisions[surface, outcome.verdict] += 1
        if outcome.would_be is not None:
            self.shadowed[outcome.policy or "", outcome.rule or "", outcome.would_be] += 1
        self.latency[bisect_left(_BOUNDS, seconds)] += 1
        self.seconds += seconds


class Exposition(Collector):
    """The registry of one app, and its text."""

    def __init__(
        self,
        requests: RequestMetrics,
        serving: Serving,
        sink: DecisionSink | None,
        kept: Kept | None,
        approvals: ApprovalHealth | None,
    ) -> None:
        self._requests = requests
        self._serving = serving
        self._sink = sink
        self._kept = kept
        self._approvals = approvals
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def text(self) -> bytes:
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        yield from self._request_families()
        yield from self._reload_families()
        yield from self._sink_families()
        yield from self._store_families()
        yield from self._approval_families()

    def _request_families(self) -> Iterator[Metric]:
        decisions = CounterMetricFamily(
            "policyc_decisions", "Decisions by surface and verdict.", labels=["surface", "verdict"]
        )
        for labels, count in sorted(self._requests.decisions.items()):
            decisions.add_metric(labels, count)
        yield decisions
        shadowed = CounterMetricFamily(
            "policyc_shadow_decisions",
            "Decisions that shadow kept from being so, by rule (empty: the default verdict).",
            labels=["policy", "rule", "would_be"],
        )
        for shadow, count in sorted(self._requests.shadowed.items()):
            shadowed.add_metric(shadow, count)
        yield shadowed
        refused = CounterMetricFamily(
            "policyc_requests_refused", "Requests refused by code.", labels=["code"]
        )
        for code, count in sorted(self._requests.refused.items()):
            refused.add_metric([code], count)
        yield refused
        latency = HistogramMetricFamily("policyc_decision_seconds", "From a complete body to its decision.")
        buckets = list(zip(_LABELS, accumulate(self._requests.latency), strict=True))
        latency.add_metric([], buckets, self._requests.seconds)
        yield latency

    def _reload_families(self) -> Iterator[Metric]:
        serving = self._serving
        counts = serving.counts
        reloads = CounterMetricFamily("policyc_reloads", "Loads of the policy by result.", labels=["result"])
        for result in ("activated", "unchanged", "failed"):
            reloads.add_metric([result], getattr(counts, result))
        yield reloads
        yield GaugeMetricFamily(
            "policyc_reload_failing",
            "1 while what is on disk cannot be served.",
            int(serving.failure is not None),
        )
        yield GaugeMetricFamily("policyc_policy_stale", "1 past --max-stale.", int(serving.is_stale))
        if serving.age is not None:
            yield GaugeMetricFamily(
                "policyc_policy_age_seconds", "Since disk and served policy last agreed.", serving.age
            )
        snapshot = serving.snapshot
        if snapshot is not None:
            yield GaugeMetricFamily(
                "policyc_last_activation_timestamp_seconds",
                "When the served policy was activated.",
                snapshot.activated_at,
            )
            version = "" if snapshot.version is None else str(snapshot.version)
            info = {"bundle": snapshot.bundle, "revision": snapshot.revision, "version": version}
            yield InfoMetricFamily("policyc", "The policy that is served.", info)

    def _sink_families(self) -> Iterator[Metric]:
        if self._sink is not None:
            status = self._sink.status()
            yield CounterMetricFamily(
                "policyc_decision_events_written", "Events in the decision log.", status.written
            )
            yield CounterMetricFamily("policyc_decision_events_dropped", "Events lost.", status.dropped)

    def _store_families(self) -> Iterator[Metric]:
        if self._kept is not None:
            status = self._kept.writer.status()
            yield CounterMetricFamily("policyc_events_written", "Events in the store.", status.written)
            yield CounterMetricFamily("policyc_events_lost", "Events that the store never got.", status.lost)
            yield GaugeMetricFamily("policyc_events_waiting", "Events on their way.", status.waiting)
            yield GaugeMetricFamily(
                "policyc_store_failing", "1 while the store takes no events.", int(status.error is not None)
            )
            yield from self._budget_families(self._kept.budgets)
            yield from self._export_families(self._kept.exports())

    def _budget_families(self, budgets: Budgets) -> Iterator[Metric]:
        yield CounterMetricFamily(
            "policyc_budgets_uncounted", "Calls that could not be counted.", budgets.failed
        )
        yield GaugeMetricFamily(
            "policyc_budgets_failing",
            "1 while calls cannot be counted, so that rules with a budget answer closed.",
            int(budgets.error is not None),
        )

    def _export_families(self, exports: list[dict[str, Any]]) -> Iterator[Metric]:
        labels = ["target"]
        sent = CounterMetricFamily("policyc_events_exported", "Events that a target took.", labels=labels)
        waiting = GaugeMetricFamily("policyc_export_waiting", "Events that a target is due.", labels=labels)
        failing = GaugeMetricFamily("policyc_export_failing", "1 while it takes none.", labels=labels)
        for export in exports:
            target = [export["target"]]
            sent.add_metric(target, export["sent"])
            waiting.add_metric(target, export["waiting"])
            failing.add_metric(target, int(export["error"] is not None))
        if exports:
            yield from (sent, waiting, failing)

    def _approval_families(self) -> Iterator[Metric]:
        if self._approvals is not None:
            states = GaugeMetricFamily(
                "policyc_approvals", "Approvals in the store by state.", labels=["state"]
            )
            for state, count in self._approvals.by_state().items():
                states.add_metric([state], count)
            yield states
            yield GaugeMetricFamily(
                "policyc_approvals_failing",
                "1 while holds cannot be kept, so that what needs approval is denied.",
                int(self._approvals.error is not None),
            )
