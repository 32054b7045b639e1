"""Cases on several processes; results in the order of the cases, whichever process is faster."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from policyc.testing.case import Case

T = TypeVar("T")
#: Cases below which starting processes takes longer than deciding.
_WORTH_IT = 2_000
_CHUNK = 100
#: Processes that are started without being asked for.
_MOST = 8


class WorkerDied(RuntimeError):
    """A process ended before its cases were done."""


def useful_jobs(cases: int) -> int:
    """How many processes are faster than one, for so many cases on this machine."""
    return 1 if cases < _WORTH_IT else min(cores(), _MOST)


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_parallel(work: Callable[[Sequence[Case]], T], cases: Sequence[Case], jobs: int) -> Iterator[T]:
    """``work`` of the chunks of ``cases``, in their order. Raises WorkerDied."""
    chunks = [cases[start : start + _CHUNK] for start in range(0, len(cases), _CHUNK)]
    jobs = min(jobs, len(chunks))
    if jobs <= 1:
        yield from map(work, chunks)
        return
    # Forked, so that the policies and cases are there: to send them takes longer than most suites.
    context = multiprocessing.get_context("fork")
    pipes: list[Connection] = []
    workers = []
    for job in range(jobs):
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(
            target=_serve, args=(work, chunks[job::jobs], theirs, [*pipes, ours]), daemon=True
        )
        worker.start()
        theirs.close()
        pipes.append(ours)
        workers.append(worker)
    try:
        for number in range(len(chunks)):
            yield _receive(pipes[number % jobs])
    finally:
        for worker in workers:
            worker.kill()
            worker.join()


def _serve(
    work: Callable[[Sequence[Case]], Any],
    chunks: Sequence[Sequence[Case]],
    pipe: Connection,
    inherited: Sequence[Connection],
) -> None:
    # An end that a worker keeps open would hide from it that the parent is gone.
    for connection in inherited:
        connection.close()
    try:
        for chunk in chunks:
            pipe.send(work(chunk))
    except (BrokenPipeError, KeyboardInterrupt):
        pass


def _receive(pipe: Connection) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        raise WorkerDied("a process that ran tests ended before it was done") from None
