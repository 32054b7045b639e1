"""How long `policyc diff` takes to prove what changes: one rule of many, or none by a refactor of all."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policyc.analysis.plans import compare_plans
from policyc.analysis.report import budget_for
from policyc.bench.processes import BenchError
from policyc.bench.sources import policy_path, write_bundle
from policyc.loading import load_target

#: Rules -> seconds that a whole run may take.
TARGETS = {200: 1.0, 2_000: 10.0}
_BOUND = re.compile(r"op: gt, value: (\d+)00\}")


@dataclass(frozen=True)
class DiffFigures:
    """One edit of a policy of ``rules`` rules. Times are processor seconds, each the median of three."""

    edit: str
    rules: int
    compare_s: float
    """From two loaded plans to the proof, with a call for each change."""
    whole_s: float
    """The process `policyc diff OLD NEW` on folders: both are compiled."""
    target_s: float | None
    changes: int
    rest: str
    wrong: bool
    """Whether it found no change where there is one, or one where there is none."""

    @property
    def is_met(self) -> bool:
        """Whether all was proved in time."""
        return self.rest == "proved" and (self.target_s is None or self.whole_s <= self.target_s)


def measure_diff(folder: Path, *, rules: int) -> list[DiffFigures]:
    """The figures of each edit, in the new ``folder``. Raises BenchError when the command fails."""
    old = folder / "old"
    write_bundle(old, files=1, rules=rules)
    # A glob that begins with `*` tells two spellings of an MCP tool apart, which is an answer `unknown`.
    text = policy_path(old, 0).read_text("utf-8").replace('"*', '"')
    policy_path(old, 0).write_text(text, "utf-8")
    found = []
    for name, (edit, changes) in _EDITS.items():
        new = folder / name.replace(" ", "_")
        write_bundle(new, files=1, rules=rules)
        (new / "bundle.yaml").write_bytes((old / "bundle.yaml").read_bytes())
        policy_path(new, 0).write_text(edit(text), "utf-8")
        found.append(_measured(name, old, new, rules, changes))
    return found


def one_rule(text: str) -> str:
    """The bound of the rule in the middle is raised."""
    bounds = list(_BOUND.finditer(text))
    middle = bounds[len(bounds) // 2]
    return f"{text[: middle.start(1)]}{int(middle[1]) + 1}{text[middle.end(1) :]}"


def refactor(text: str) -> str:
    """Priorities are renumbered, globs split and expressions rewritten, of all rules: nothing changes."""
    text = re.sub(r"priority: (\d+)", lambda match: f"priority: {int(match[1]) * 10}", text)
    text = re.sub(r'"([^"*\n]+)\*"\]', r'"\1*", "\1more*"]', text)
    return text.replace(r"\s+", r"\s\s*")


#: Edit -> how it is made, and whether it changes a verdict.
_EDITS: dict[str, tuple[Callable[[str], str], bool]] = {
    "one rule changed": (one_rule, True),
    "refactor of all": (refactor, False),
}


def _measured(name: str, old: Path, new: Path, rules: int, changes: bool) -> DiffFigures:
    plans = [load_target(folder).plan for folder in (old, new)]
    found, compared = _median(lambda: compare_plans(*plans, budget=budget_for(plans[1])), time.process_time)
    _, whole = _median(lambda: _diff(old, new), _spent_by_processes)
    return DiffFigures(
        edit=name,
        rules=rules,
        compare_s=compared,
        whole_s=whole,
        target_s=TARGETS.get(rules),
        changes=len(found.changes),
        rest=found.rest,
        wrong=bool(found.changes) is not changes,
    )


def _diff(old: Path, new: Path) -> Any:
    command: list[str | Path] = [sys.executable, "-m", "policyc", "diff", old, new, "--format", "json"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise BenchError(f"policyc diff failed: {done.stderr.decode('utf-8', 'replace')[-500:]}")
    return json.loads(done.stdout)


def _median(work: Callable[[], Any], clock: Callable[[], float]) -> tuple[Any, float]:
    times = []
    for _ in range(3):
        started = clock()
        result = work()
        times.append(clock() - started)
    return result, sorted(times)[1]


def _spent_by_processes() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
