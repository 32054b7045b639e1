"""From new content on disk to the first decision by it, while connections keep asking.

Each edition is made before the load starts and put in place by one rename, which is when the clock starts.
It stops when the load client has an answer that carries another revision than before. Failed requests are
counted, and so are verdicts that are not those of the revision that comes with them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns, sleep

from policyc.bench.editions import Editions, artifact_editions, folder_editions
from policyc.bench.load import Load, Request, Seen
from policyc.bench.processes import EVALUATOR, Client, loading, serving
from policyc.bench.quantiles import median, quantile
from policyc.bench.sources import other_calls, probe, verdict_of

ARTIFACT_TARGET = 1.5
FOLDER_TARGET = 0.3
_OTHER_CALLS = 50
_WITHIN = 20.0
#: Between reloads, in seconds; the server looks a second time at what is only just written.
_PAUSE = 1.0
#: Before a reload: the requests that it is compared with.
_STEADY = 0.4
_NO_LONGER_THAN = 120.0


@dataclass(frozen=True)
class ReloadFigures:
    """Reloads of one kind of target under load. Times as the names say."""

    target: str
    rules: int
    connections: int
    reloads: int
    median_s: float
    slowest_s: float
    target_s: float
    p99_before_ms: float
    """Of requests that ended in the moments before a rename, when nothing was loaded."""
    p99_during_ms: float
    """Of requests that ended between a rename and the first decision by what it put in place."""
    slowest_ms: float
    """Of all requests, also those that ended while the replaced policy was taken apart."""
    requests: int
    failures: dict[str, int]

    @property
    def failed(self) -> int:
        return sum(self.failures.values())

    @property
    def is_met(self) -> bool:
        return self.slowest_s <= self.target_s


def reload_artifact(folder: Path, *, files: int, rules: int, connections: int, reloads: int) -> ReloadFigures:
    """The figures of an artifact, made of the sources in ``folder``, which is new."""
    editions = artifact_editions(folder, files=files, rules=rules, count=reloads)
    return _measure(editions, ARTIFACT_TARGET, connections)


def reload_folder(folder: Path, *, files: int, rules: int, connections: int, reloads: int) -> ReloadFigures:
    """The figures of the bundle folder ``folder``, which is new, when one of its files changes."""
    editions = folder_editions(folder, files=files, rules=rules, count=reloads)
    return _measure(editions, FOLDER_TARGET, connections)


def _measure(editions: Editions, target_s: float, connections: int) -> ReloadFigures:
    with serving(EVALUATOR, editions.path) as server:
        load = Load(server.port, _requests(editions), connections, _NO_LONGER_THAN, watches=True)
        with loading(load) as client:
            spans = _reload_all(client, editions)
            sleep(_PAUSE)
            client.stop()
            report = client.report()
    during = [taken for ended, taken in report.samples if _is_in(ended, spans)]
    steady = [(start - int(_STEADY * 1e9), start) for start, _ in spans]
    before = [taken for ended, taken in report.samples if _is_in(ended, steady)]
    seconds = [(end - start) / 1e9 for start, end in spans]
    return ReloadFigures(
        target=editions.kind,
        rules=editions.files * editions.rules,
        connections=connections,
        reloads=editions.count,
        median_s=median(seconds),
        slowest_s=max(seconds),
        target_s=target_s,
        p99_before_ms=quantile(before, 0.99) / 1e6,
        p99_during_ms=quantile(during, 0.99) / 1e6,
        slowest_ms=max((taken for _, taken in report.samples), default=0) / 1e6,
        requests=len(report.samples),
        failures=report.failures | wrong_verdicts(report.seen),
    )


def _requests(editions: Editions) -> tuple[Request, ...]:
    probing = Request("/v1/evaluate", json.dumps(probe()), 200, '"rule":"probe"')
    others = [
        Request("/v1/evaluate", json.dumps(call), 200, '"verdict":"allow"')
        for call in other_calls(editions.files, editions.rules, _OTHER_CALLS)
    ]
    return tuple(request for other in others for request in (other, probing))


def _reload_all(client: Client, editions: Editions) -> list[tuple[int, int]]:
    """Puts all editions in place; from when to when each was on disk and not yet served."""
    known = {client.next_seen(_WITHIN).revision}
    spans = []
    for edition in range(1, editions.count + 1):
        sleep(_PAUSE)
        started = monotonic_ns()
        editions.put(edition)
        while (seen := client.next_seen(_WITHIN)).revision in known:
            pass
        known.add(seen.revision)
        spans.append((started, seen.at))
    return spans


def _is_in(ended: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= ended <= end for start, end in spans)


def wrong_verdicts(seen: list[Seen]) -> dict[str, int]:
    """Verdicts that are not of the edition that answered; editions are seen in their order."""
    revisions = list(dict.fromkeys(pair.revision for pair in seen))
    pairs = ((revisions.index(pair.revision), pair.verdict) for pair in seen)
    return {
        f"{verdict} by edition {edition}": 1
        for edition, verdict in pairs
        if verdict not in ("allow", verdict_of(edition))
    }
