"""The report as tables for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from policyc.bench.comparing import DiffFigures
from policyc.bench.compiling import CompileFigures
from policyc.bench.decisions import DecisionFigures
from policyc.bench.environment import Environment
from policyc.bench.forwarding import ForwardingFigures
from policyc.bench.gate import GateFigures
from policyc.bench.reloading import ReloadFigures
from policyc.bench.serving import ServingFigures
from policyc.bench.storing import StoreFigures
from policyc.bench.suite import Report


def tables(report: Report) -> RenderableType:
    """All sections, one below the other."""
    return Group(
        _environment(report.environment),
        _decisions(report.decisions),
        _compiling(report.compiling),
        _diffs(report.diffs),
        _gate(report.gate),
        _reloads(report.reloads),
        _serving("Requests over HTTP, microseconds", "of no-op", report.serving),
        _serving("/v1/evaluate and its events, microseconds", "of events off", report.keeping),
        _forwarding(report.gateway),
        _store(report.store),
        *_what_went_wrong(report),
    )


def _environment(found: Environment) -> Text:
    libraries = ", ".join(f"{name} {version}" for name, version in found.libraries.items())
    machine = f"{found.system}, {found.cores} cores, load average {found.load_average:.1f} at the start"
    return Text(f"policyc {found.policyc}, {found.python}, {machine}\n{libraries}\n")


def _table(title: str, first: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column(first, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _decisions(rows: list[DecisionFigures]) -> Table:
    title = "Decisions, microseconds" + (
        f": {rows[0].calls:,} calls of {rows[0].tools} tools" if rows else ""
    )
    columns = ("rules", "per tool", "p50", "target", "p99", "first", "plain walk", "faster")
    table = _table(title, "decided by", *columns)
    for row in rows:
        table.add_row(
            row.scenario,
            f"{row.rules:,}",
            f"{row.rules_per_tool:.1f}",
            f"{row.p50_us:.2f}",
            _target(f"{row.target_us:g}", row.is_met),
            f"{row.p99_us:.2f}",
            f"{row.first_us:,.0f}",
            f"{row.walk_us:,.0f}",
            f"{row.times_faster:,.0f} x",
        )
    return table


def _compiling(row: CompileFigures) -> Table:
    title = f"Compile: {row.rules:,} rules in {row.files} files, {row.source_bytes / 1e6:.1f} MB"
    table = _table(title, "step", "seconds", "target")
    met = row.cold_s <= row.cold_target_s
    table.add_row("everything", f"{row.cold_s:.2f}", _target(f"{row.cold_target_s:g}", met))
    met = row.changed_s <= row.changed_target_s
    table.add_row(
        "again, one file changed", f"{row.changed_s:.2f}", _target(f"{row.changed_target_s:g}", met)
    )
    table.add_row(f"artifact, {row.artifact_bytes / 1e3:,.0f} kB", f"{row.artifact_s:.2f}", "")
    table.add_row("load of the artifact", f"{row.load_s:.2f}", "")
    return table


def _diffs(rows: list[DiffFigures]) -> Table:
    table = _table(
        "Comparison, processor seconds", "edit", "rules", "answer", "compare", "policyc diff", "target"
    )
    for row in rows:
        target = "" if row.target_s is None else _target(f"{row.target_s:g}", row.is_met)
        table.add_row(
            row.edit, f"{row.rules:,}", _answer(row), f"{row.compare_s:.2f}", f"{row.whole_s:.2f}", target
        )
    return table


def _answer(row: DiffFigures) -> str:
    return f"{row.changes} changed, rest {row.rest}"


def _gate(rows: list[GateFigures]) -> Table:
    title = "The gate, a whole process beside `python3 -I -S -c 'import json'`"
    columns = ("tool", "baseline ms", "warm ms", "times", "target", "cold ms", "times", "target")
    table = _table(title, "policy", *columns)
    for row in rows:
        table.add_row(
            row.policy,
            row.tool,
            f"{row.baseline_ms:.0f}",
            f"{row.warm_ms:.0f}",
            f"{row.warm:.2f}",
            _target(f"{row.warm_target:g}", row.warm <= row.warm_target),
            f"{row.cold_ms:.0f}",
            f"{row.cold:.2f}",
            _target(f"{row.cold_target:g}", row.cold <= row.cold_target),
        )
    return table


def _reloads(columns: list[ReloadFigures]) -> Table:
    table = _table(
        "Reload under load", "", *(f"{column.target}, {column.rules:,} rules" for column in columns)
    )
    rows: dict[str, Callable[[ReloadFigures], str | Text]] = {
        "seconds to the first new decision, median": lambda it: f"{it.median_s:.2f}",
        "the slowest": lambda it: f"{it.slowest_s:.2f} of {it.reloads}",
        "target": lambda it: _target(f"{it.target_s:g}", it.is_met),
        "requests": lambda it: f"{it.requests:,}",
        "failed": lambda it: _failed(it.failed),
        "p99 of requests before a reload, ms": lambda it: f"{it.p99_before_ms:.1f}",
        "p99 of requests during a reload, ms": lambda it: f"{it.p99_during_ms:.1f}",
        "the slowest request, ms": lambda it: f"{it.slowest_ms:.0f}",
    }
    for label, cell in rows.items():
        table.add_row(label, *map(cell, columns))
    return table


def _serving(title: str, share: str, rows: list[ServingFigures]) -> Table:
    table = _table(title, "endpoint", "connections", "requests/s", share, "p50", "p99", "failed")
    for row in rows:
        table.add_row(
            row.endpoint,
            str(row.connections),
            f"{row.rate:,.0f}",
            f"{row.share:.0%}",
            f"{row.p50_us:,.0f}",
            f"{row.p99_us:,.0f}",
            _failed(row.failed),
        )
    return table


def _forwarding(rows: list[ForwardingFigures]) -> Table:
    columns = ("connections", "directly p50", "p99", "gateway p50", "p99", "added", "requests/s", "failed")
    table = _table("The LLM gateway before a stand-in, microseconds", "answer", *columns)
    for row in rows:
        table.add_row(
            row.answer,
            str(row.direct.connections),
            f"{row.direct.p50_us:,.0f}",
            f"{row.direct.p99_us:,.0f}",
            f"{row.gateway.p50_us:,.0f}",
            f"{row.gateway.p99_us:,.0f}",
            f"{row.added_us:,.0f}",
            f"{row.gateway.rate:,.0f}",
            _failed(sum(row.failures.values())),
        )
    return table


def _store(rows: list[StoreFigures]) -> Table:
    columns = ("written", "events/s", "of", "newest 50, ms", "newest 50 denied, ms")
    table = _table("The store", "database", *columns)
    for row in rows:
        table.add_row(
            row.database,
            f"{row.written:,}",
            f"{row.rate:,.0f}",
            f"{row.events:,}",
            f"{row.newest_ms:.2f}",
            f"{row.denied_ms:.2f}",
        )
    return table


def _target(target: str, is_met: bool) -> Text:
    return Text(target, "green") if is_met else Text(f"{target} missed", "bold red")


def _failed(count: int) -> Text:
    return Text(f"{count:,}", "bold red" if count else "")


def _what_went_wrong(report: Report) -> Iterator[Text]:
    for decided in report.decisions:
        if decided.wrong:
            yield Text(
                f"{decided.wrong} wrong decisions by {decided.scenario} at {decided.rules:,} rules", "red"
            )
    for diff in report.diffs:
        if diff.wrong:
            yield Text(f"wrong: {diff.edit} at {diff.rules:,} rules: {_answer(diff)}", "red")
    for name, failures in (
        *((f"reload of {row.target}", row.failures) for row in report.reloads),
        *(
            (f"{row.endpoint}, {row.connections} connections", row.failures)
            for row in (*report.serving, *report.keeping)
        ),
        *((f"gateway, {row.answer} answers", row.failures) for row in report.gateway),
    ):
        for what, count in failures.items():
            yield Text(f"{name}: {count:,} times {what}", "red")
