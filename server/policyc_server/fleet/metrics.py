"""`/metrics` of a group: what all its workers counted, whichever of them is asked.

Each worker publishes its own numbers every second, and before it answers a scrape; an answer is made of what
is published alone. So a counter never goes down between two scrapes that different workers answer, and what a
worker counted stays when it ends: its successor counts on from there.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator

import msgspec
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from policyc_server.fleet.seat import Seat

_INTERVAL = 1.0
#: Seconds after which a worker that published nothing has ended, or hangs: its gauges no longer count.
_GONE_AFTER = 5.0
#: Kinds of families whose samples only grow.
_GROWING = frozenset({"counter", "histogram"})
#: Gauges of a group are the largest of its workers', but for these.
_GAUGES: dict[str, Callable[[float, float], float]] = {
    "policyc_events_waiting": lambda one, other: one + other,
    "policyc_last_activation_timestamp_seconds": min,
}


class _Family(msgspec.Struct):
    name: str
    text: str
    kind: str
    samples: dict[str, float]
    """By sample name and labels, as JSON."""


class _Published(msgspec.Struct):
    at: float
    """The machine's monotonic clock."""
    families: dict[str, _Family]


class GroupExposition(Collector):
    """The registry of a group, and its text. Only the event loop's thread calls it."""

    def __init__(self, own: Collector, seat: Seat) -> None:
        self._own = own
        self._seat = seat
        self._before = _growing(_decoded(seat.board.read(seat.number)))
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def text(self) -> bytes:
        self.publish()
        return generate_latest(self._registry)

    def publish(self) -> None:
        """Puts this worker's numbers where all can read them."""
        families = _families(self._own.collect())
        _merge(families, self._before)
        content = msgspec.json.encode(_Published(time.monotonic(), families))
        self._seat.board.write(self._seat.number, content)

    async def keep_published(self) -> None:
        while True:
            self.publish()
            await asyncio.sleep(_INTERVAL)

    def collect(self) -> Iterator[Metric]:
        board = self._seat.board
        all_published = [_decoded(board.read(place)) for place in range(board.places)]
        alive = 0
        merged: dict[str, _Family] = {}
        for published in filter(None, all_published):
            is_alive = time.monotonic() - published.at < _GONE_AFTER
            alive += is_alive
            _merge(merged, published.families if is_alive else _growing(published))
        for family in merged.values():
            yield _metric(family)
        yield GaugeMetricFamily("policyc_workers", "Workers of this server that serve.", alive)


@contextlib.asynccontextmanager
async def published(exposition: GroupExposition) -> AsyncIterator[None]:
    """Keeps the numbers published, and publishes the last of them at the end."""
    task = asyncio.create_task(exposition.keep_published())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        exposition.publish()


def _families(metrics: Iterable[Metric]) -> dict[str, _Family]:
    return {
        metric.name: _Family(
            metric.name,
            metric.documentation,
            metric.type,
            {_key(sample.name, sample.labels): sample.value for sample in metric.samples},
        )
        for metric in metrics
    }


def _merge(into: dict[str, _Family], families: dict[str, _Family]) -> None:
    for name, family in families.items():
        merged = into.setdefault(name, _Family(name, family.text, family.kind, {}))
        combine = _add if family.kind in _GROWING else _GAUGES.get(name, max)
        for key, value in family.samples.items():
            merged.samples[key] = combine(merged.samples[key], value) if key in merged.samples else value


def _add(one: float, other: float) -> float:
    return one + other


def _growing(published: _Published | None) -> dict[str, _Family]:
    families = {} if published is None else published.families
    return {name: family for name, family in families.items() if family.kind in _GROWING}


def _metric(family: _Family) -> Metric:
    metric = Metric(family.name, family.text, family.kind)
    for key, value in family.samples.items():
        name, labels = msgspec.json.decode(key, type=tuple[str, dict[str, str]])
        metric.add_sample(name, labels, value)
    return metric


def _key(name: str, labels: dict[str, str]) -> str:
    return msgspec.json.encode((name, labels)).decode()


def _decoded(content: bytes | None) -> _Published | None:
    return None if content is None else msgspec.json.decode(content, type=_Published)
