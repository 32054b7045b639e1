"""All mutants of a bundle, judged on several processes."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from policyc.loading import Loaded
from policyc.testing.mutation.judging import Judge, Judged, Survival
from policyc.testing.mutation.mutants import Mutant, mutants_of
from policyc.testing.parallel import cores
from policyc.testing.suite import Suite

#: Mutants that one process judges at a time: neighbours are of one rule, and share what is known of it.
_CHUNK = 40
#: Mutants below which starting processes takes longer than judging.
_WORTH_IT = 200

#: Told how many mutants of how many are judged.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Mutation:
    """What became of every mutant of a bundle, in the order of its files, and how long that took."""

    judged: tuple[Judged, ...]
    seconds: float

    @property
    def counts(self) -> Counter[str]:
        """Mutants by status."""
        return Counter(judged.status for judged in self.judged)

    @property
    def score(self) -> float:
        """The per cent of mutants that a test kills, of those that are not proved equivalent."""
        rest = len(self.judged) - self.counts["equivalent"]
        return 100 * self.counts["killed"] / rest if rest else 100.0

    def of(self, status: str) -> list[Judged]:
        return [judged for judged in self.judged if judged.status == status]


def mutate(
    loaded: Loaded, suite: Suite, *, jobs: int | None = None, progress: Progress | None = None
) -> Mutation:
    """Judges the mutants of ``loaded`` by ``suite``, whose tests pass, on ``jobs`` processes."""
    started = time.perf_counter()
    mutants = mutants_of(loaded.plan)
    found: list[Judged] = []
    for judged in _judged(loaded, suite, mutants, jobs):
        found += judged
        if progress is not None:
            progress(len(found), len(mutants))
    return Mutation(tuple(found), time.perf_counter() - started)


def _judged(
    loaded: Loaded, suite: Suite, mutants: Sequence[Mutant], jobs: int | None
) -> Iterator[list[Judged]]:
    jobs = jobs or cores()
    if jobs == 1 or len(mutants) < _WORTH_IT:
        judge = Judge(loaded, suite)
        yield from ([judge.judge(mutant)] for mutant in mutants)
        return
    chunks = [range(start, min(start + _CHUNK, len(mutants))) for start in range(0, len(mutants), _CHUNK)]
    # Forked: the bundle and its mutants are there, and are not sent.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, context, _start, (loaded, suite, mutants)) as pool:
        for chunk, judged in zip(chunks, pool.map(_judge, chunks), strict=True):
            yield [
                Judged(mutants[number], said.status, said.why, said.survival)
                for number, said in zip(chunk, judged, strict=True)
            ]


class _Said(NamedTuple):
    """What is sent of a mutant, which the receiver has."""

    status: str
    why: str | None
    survival: Survival | None


_STATE: list[tuple[Judge, Sequence[Mutant]]] = []


def _start(loaded: Loaded, suite: Suite, mutants: Sequence[Mutant]) -> None:
    _STATE[:] = [(Judge(loaded, suite), mutants)]


def _judge(chunk: range) -> list[_Said]:
    judge, mutants = _STATE[0]
    found = (judge.judge(mutants[number]) for number in chunk)
    return [_Said(judged.status, judged.why, judged.survival) for judged in found]
