"""What ``make bench`` runs: the sections with their sizes, and the report of all of them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from policyc.bench.comparing import DiffFigures, measure_diff
from policyc.bench.compiling import CompileFigures, measure_compile
from policyc.bench.decisions import DecisionFigures, measure_decisions
from policyc.bench.environment import Environment, environment
from policyc.bench.forwarding import ForwardingFigures, measure_forwarding
from policyc.bench.gate import GateFigures, measure_gate
from policyc.bench.postgresql import is_installed
from policyc.bench.reloading import ReloadFigures, reload_artifact, reload_folder
from policyc.bench.scenarios import by_compound_line, by_name, by_regex, by_simple_command
from policyc.bench.serving import ServingFigures, measure_keeping, measure_serving
from policyc.bench.storing import StoreFigures, measure_store

_SHELL_RULES = 10
_WALKED_LINES = 200

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Sizes:
    """How much is measured; the defaults are what the targets are about."""

    decision_rules: tuple[int, ...] = (10, 100, 1_000, 10_000)
    calls: int = 5_000
    tools: int = 200
    walked_rules: int = 200_000
    """Rules that the plain walk may consider in a scenario: a few calls at 10,000 rules, more at fewer."""
    files: int = 100
    rules_per_file: int = 100
    diff_rules: tuple[int, ...] = (200, 2_000)
    small_files: int = 10
    small_rules_per_file: int = 10
    reload_connections: int = 4
    artifact_reloads: int = 5
    folder_reloads: int = 10
    gate_runs: int = 15
    serving_connections: tuple[int, ...] = (16, 1)
    turns: int = 5
    seconds: float = 1.2
    kept_connections: int = 16
    gateway_connections: tuple[int, ...] = (1, 32)
    events: int = 1_000_000


@dataclass(frozen=True)
class Report:
    """All figures of one run."""

    environment: Environment
    decisions: list[DecisionFigures]
    compiling: CompileFigures
    diffs: list[DiffFigures]
    gate: list[GateFigures]
    reloads: list[ReloadFigures]
    serving: list[ServingFigures]
    keeping: list[ServingFigures]
    gateway: list[ForwardingFigures]
    store: list[StoreFigures]

    @property
    def is_right(self) -> bool:
        """Whether every decision and comparison was right and every request answered as it must be."""
        wrong = sum(figures.wrong for figures in self.decisions) + sum(row.wrong for row in self.diffs)
        failed = sum(figures.failed for figures in self.reloads)
        failed += sum(figures.failed for figures in (*self.serving, *self.keeping))
        return not wrong + failed + sum(len(figures.failures) for figures in self.gateway)

    def document(self) -> dict[str, Any]:
        """The report as JSON data; ``met`` says whether the target beside it is."""
        return {
            "ok": self.is_right,
            "environment": asdict(self.environment),
            "decisions": [asdict(figures) | {"met": figures.is_met} for figures in self.decisions],
            "compile": asdict(self.compiling) | {"met": self.compiling.is_met},
            "diff": [asdict(figures) | {"met": figures.is_met} for figures in self.diffs],
            "gate": [asdict(row) | {"warm": row.warm, "cold": row.cold} for row in self.gate],
            "reload": [asdict(figures) | {"met": figures.is_met} for figures in self.reloads],
            "serve": [asdict(figures) for figures in self.serving],
            "events": [asdict(figures) for figures in self.keeping],
            "gateway": [asdict(row) | {"added_us": row.added_us} for row in self.gateway],
            "store": [asdict(figures) for figures in self.store],
        }


def run(progress: Progress, sizes: Sizes | None = None) -> Report:
    """Measures everything; ``progress`` hears of each step. Raises BenchError when a process fails."""
    sizes = sizes or Sizes()
    machine = environment()
    with tempfile.TemporaryDirectory(prefix="policyc-bench-") as folder:
        decisions = _decisions(progress, sizes)
        progress(f"compile: {sizes.files * sizes.rules_per_file:,} rules in {sizes.files} files")
        compiling = measure_compile(Path(folder, "compile"), files=sizes.files, rules=sizes.rules_per_file)
        diffs = _diffs(progress, sizes, Path(folder))
        progress(f"gate: {sizes.gate_runs} processes of each kind")
        gate = measure_gate(Path(folder, "gate"), runs=sizes.gate_runs)
        reloads = _reloads(progress, sizes, Path(folder))
        progress(f"serve: all endpoints, {sizes.turns} turns of {sizes.seconds:g} s for each")
        served = measure_serving(
            Path(folder, "serve"),
            files=sizes.small_files,
            rules=sizes.small_rules_per_file,
            connections=sizes.serving_connections,
            turns=sizes.turns,
            seconds=sizes.seconds,
        )
        kept = _keeping(progress, sizes, Path(folder), machine.cores)
        progress("gateway: an LLM's answers through it and directly, whole and streamed")
        forwarded = measure_forwarding(
            Path(folder, "gateway"),
            files=sizes.small_files,
            rules=sizes.small_rules_per_file,
            connections=sizes.gateway_connections,
            turns=sizes.turns,
            seconds=sizes.seconds,
        )
        progress(f"store: {sizes.events:,} events")
        if not is_installed():
            progress("store: PostgreSQL is skipped, its server is not installed")
        stored = measure_store(Path(folder, "store"), events=sizes.events)
    return Report(machine, decisions, compiling, diffs, gate, reloads, served, kept, forwarded, stored)


def _diffs(progress: Progress, sizes: Sizes, folder: Path) -> list[DiffFigures]:
    found = []
    for rules in sizes.diff_rules:
        progress(f"diff: {rules:,} rules")
        found += measure_diff(folder / f"diff-{rules}", rules=rules)
    return found


def _keeping(progress: Progress, sizes: Sizes, folder: Path, cores: int) -> list[ServingFigures]:
    progress("serve: with events on, by one process and by workers")
    return measure_keeping(
        folder / "keeping",
        files=sizes.small_files,
        rules=sizes.small_rules_per_file,
        connections=sizes.kept_connections,
        workers=max(2, cores),
        turns=sizes.turns,
        seconds=sizes.seconds,
    )


def _decisions(progress: Progress, sizes: Sizes) -> list[DecisionFigures]:
    found = []
    for make in (by_name, by_regex):
        for rules in sizes.decision_rules:
            scenario = make(rules, calls=sizes.calls, tools=sizes.tools)
            progress(f"decide: by {scenario.name}, {rules:,} rules")
            found.append(measure_decisions(scenario, walked=min(sizes.calls, sizes.walked_rules // rules)))
    for line in (by_simple_command, by_compound_line):
        scenario = line(_SHELL_RULES, calls=sizes.calls)
        progress(f"decide: by {scenario.name}")
        found.append(measure_decisions(scenario, walked=min(sizes.calls, _WALKED_LINES)))
    return found


def _reloads(progress: Progress, sizes: Sizes, folder: Path) -> list[ReloadFigures]:
    progress(f"reload: artifact of {sizes.files * sizes.rules_per_file:,} rules under load")
    artifact = reload_artifact(
        folder / "artifact",
        files=sizes.files,
        rules=sizes.rules_per_file,
        connections=sizes.reload_connections,
        reloads=sizes.artifact_reloads,
    )
    progress(f"reload: folder of {sizes.small_files * sizes.small_rules_per_file:,} rules under load")
    sources = reload_folder(
        folder / "folder",
        files=sizes.small_files,
        rules=sizes.small_rules_per_file,
        connections=sizes.reload_connections,
        reloads=sizes.folder_reloads,
    )
    return [artifact, sources]
