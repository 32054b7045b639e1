"""Tests of one target, from the sources to what is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from policyc.loading import Loaded
from policyc.testing.coverage import Coverage, coverage
from policyc.testing.mutation.run import Mutation, Progress, mutate
from policyc.testing.parallel import useful_jobs
from policyc.testing.places import Places
from policyc.testing.run import Result, Runner
from policyc.testing.selection import Filter, Wanted
from policyc.testing.suite import Suite, checked, read_suite


@dataclass(frozen=True)
class Options:
    """``tests``: files and folders to take instead of those that belong to a target. ``jobs``: processes;
    None for as many as pay. ``cover`` and ``mutating``: whether coverage, and what becomes of mutants, is
    asked for."""

    tests: Sequence[Path]
    chosen: Filter
    jobs: int | None
    cover: bool
    mutating: bool = False


@dataclass(frozen=True)
class Tested:
    """What became of the tests of ``target``: of those in ``suite``, which are the ones that were asked for.

    ``results`` are empty where the suite has errors. ``coverage`` and ``mutation`` are None where they were
    not asked for, and the latter where a test fails.
    """

    target: Path
    loaded: Loaded
    suite: Suite
    results: tuple[Result, ...] = ()
    coverage: Coverage | None = None
    mutation: Mutation | None = None

    @property
    def failed(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if not result.passed)

    @property
    def places(self) -> Places:
        return Places(self.loaded.sources)


def prepared(wanted: Wanted, loaded: Loaded, options: Options) -> Tested:
    """The tests that are asked for, not run yet. Raises SourceError."""
    suite = wanted.of(read_suite(wanted.target, options.tests))
    cases = options.chosen.cases(suite.cases, loaded.plan)
    return Tested(wanted.target, loaded, checked(suite.only(cases), loaded.plan))


def run(tested: Tested, options: Options, advance: Callable[[], None]) -> Tested:
    """The same with results; ``advance`` is called after each. Raises WorkerDied."""
    if tested.suite.has_errors:
        return tested
    jobs = useful_jobs(len(tested.suite.cases)) if options.jobs is None else options.jobs
    runner = Runner(tested.suite, tested.loaded, jobs=jobs, cover=options.cover)
    results = []
    for result in runner.run():
        results.append(result)
        advance()
    covered = coverage(tested.loaded.plan, runner.points) if options.cover else None
    return replace(tested, results=tuple(results), coverage=covered)


def mutated(tested: Tested, options: Options, progress: Progress) -> Tested:
    """The same with what becomes of the target's mutants under its tests, all of which passed."""
    if tested.suite.has_errors or tested.failed:
        return tested
    found = mutate(tested.loaded, tested.suite, jobs=options.jobs, progress=progress)
    return replace(tested, mutation=found)
