"""Requests a second of the decision endpoints, beside a no-op app under the same server.

The endpoints and the no-op take turns, so that what else the machine does meets all of them, and shares are
those within a turn. There are two loads: several connections, each with a request under way at all times, for
the rate; and one connection, for the time of a request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from policyc.bench.endpoints import Endpoint, endpoints, keeping_endpoints
from policyc.bench.load import Load, LoadReport
from policyc.bench.processes import loading
from policyc.bench.quantiles import median, quantile
from policyc.bench.sources import write_bundle
from policyc.building import compile_path

_EDITION = 1
#: The part of each turn that is not measured.
_WARM_UP = 0.2


@dataclass(frozen=True)
class ServingFigures:
    """One endpoint under one load. Times are microseconds."""

    endpoint: str
    connections: int
    rate: float
    """Requests a second: the median of the turns."""
    share: float
    """The rate as a share of the first endpoint's in the same turn: the median of the turns."""
    p50_us: float
    p99_us: float
    requests: int
    failures: dict[str, int]

    @property
    def failed(self) -> int:
        return sum(self.failures.values())


def measure_serving(
    folder: Path, *, files: int, rules: int, connections: Sequence[int], turns: int, seconds: float
) -> list[ServingFigures]:
    """The figures of every endpoint for each number of ``connections``: ``turns`` turns of ``seconds`` each.

    The bundle that is served is written to ``folder``, which is new. The first figures of each load are the
    no-op's.
    """
    artifact = write_artifact(folder, files, rules, _EDITION)
    figures = []
    with endpoints(artifact, files=files, rules=rules, edition=_EDITION) as served:
        for count in connections:
            figures += measure(served, count, turns, seconds)
    return figures


def measure_keeping(
    folder: Path, *, files: int, rules: int, connections: int, workers: int, turns: int, seconds: float
) -> list[ServingFigures]:
    """The decision endpoint without a store, with one, and with ``workers`` processes on one; shares are of
    the first."""
    artifact = write_artifact(folder, files, rules, _EDITION)
    with keeping_endpoints(
        artifact, folder, files=files, rules=rules, edition=_EDITION, workers=workers
    ) as served:
        return measure(served, connections, turns, seconds)


def write_artifact(folder: Path, files: int, rules: int, edition: int) -> Path:
    """The artifact of a made-up bundle in ``folder``, which is new."""
    write_bundle(folder, files=files, rules=rules, edition=edition)
    artifact = folder.with_name(f"{folder.name}.tar.gz")
    artifact.write_bytes(compile_path(folder).artifact())
    return artifact


def measure(served: Sequence[Endpoint], connections: int, turns: int, seconds: float) -> list[ServingFigures]:
    """The figures of each endpoint, which take turns; shares are of the first."""
    reports: list[list[LoadReport]] = [[] for _ in served]
    for _ in range(turns):
        for endpoint, own in zip(served, reports, strict=True):
            load = Load(endpoint.port, endpoint.requests, connections, seconds)
            with loading(load) as client:
                own.append(client.report())
    baseline = [_rate(report) for report in reports[0]]
    return [
        _figures(endpoint.name, connections, own, baseline)
        for endpoint, own in zip(served, reports, strict=True)
    ]


def _figures(name: str, connections: int, reports: list[LoadReport], baseline: list[float]) -> ServingFigures:
    rates = [_rate(report) for report in reports]
    taken = [taken / 1e3 for report in reports for _, taken in _measured(report)]
    failures: Counter[str] = Counter()
    for report in reports:
        failures.update(report.failures)
    return ServingFigures(
        endpoint=name,
        connections=connections,
        rate=median(rates),
        share=median([own / max(no_op, 1.0) for own, no_op in zip(rates, baseline, strict=True)]),
        p50_us=median(taken),
        p99_us=quantile(taken, 0.99),
        requests=sum(len(report.samples) for report in reports),
        failures=dict(failures),
    )


def _measured(report: LoadReport) -> list[tuple[int, int]]:
    if not report.samples:
        return []
    first, last = report.samples[0][0], report.samples[-1][0]
    return [sample for sample in report.samples if sample[0] >= first + (last - first) * _WARM_UP]


def _rate(report: LoadReport) -> float:
    samples = _measured(report)
    return (len(samples) - 1) / max(1, samples[-1][0] - samples[0][0]) * 1e9 if samples else 0.0
