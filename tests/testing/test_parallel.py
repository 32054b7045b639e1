"""Cases on several processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from policyc.testing.case import Case
from policyc.testing.coverage import coverage
from policyc.testing.parallel import WorkerDied, in_parallel
from policyc.testing.run import Runner
from testing.on_disk import read, write

ROWS = 1_050


def table() -> str:
    # Every tenth fails.
    rows = "\n".join(
        f"      - {{args: {{amount_cents: {n}}}, expect: {'deny' if n % 10 == 0 else 'allow'}}}"
        for n in range(ROWS)
    )
    return f"tests:\n  - name: many\n    call: {{tool: payment.pay}}\n    table:\n{rows}\n"


@pytest.mark.parametrize("jobs", [2, 3, 64])
def test_results_and_coverage_are_those_of_one_process_in_the_same_order(tmp_path: Path, jobs: int) -> None:
    suite, loaded = read(write(tmp_path, table()))
    alone, together = (Runner(suite, loaded, jobs=number, cover=True) for number in (1, jobs))
    first, second = alone.results(), together.results()
    assert [result.case.row for result in second] == list(range(1, ROWS + 1))
    assert [result.passed for result in first] == [result.passed for result in second]
    assert coverage(loaded.plan, alone.points) == coverage(loaded.plan, together.points)
    failure = second[0].failure
    assert failure is not None
    assert [entry["rule"] for entry in failure.trace.documents()] == ["cap", "pay"]


def test_a_process_that_dies_is_said_and_leaves_no_other_behind(tmp_path: Path) -> None:
    suite, _ = read(write(tmp_path, table()))

    def work(cases: Sequence[Case]) -> int:
        if cases[0].row == 101:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    processes = []
    with pytest.raises(WorkerDied):
        processes.extend(in_parallel(work, suite.cases, 2))
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_a_fault_of_the_runner_itself_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    suite, _ = read(write(tmp_path, table()))

    def work(_cases: Sequence[Case]) -> int:
        raise ZeroDivisionError

    with pytest.raises(WorkerDied):
        list(in_parallel(work, suite.cases, 2))
