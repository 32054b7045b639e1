"""``policyc check``: every problem of the sources, in one run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from policyc.building import CompileError, compile_path
from policyc.cli.answers import (
    PATH,
    REFUSED,
    UNUSABLE,
    counted,
    diagnostics_document,
    format_option,
    print_diagnostics,
    print_json,
)
from policyc.source.diagnostics import Diagnostic
from policyc.source.tree import SourceError


@click.command("check")
@click.argument("targets", nargs=-1, required=True, type=PATH)
@format_option
def command(targets: tuple[Path, ...], form: str) -> None:
    """Check bundle folders and policy files; all problems of all of them are shown.

    Exit 1 when there is an error; warnings alone are exit 0.
    """
    reports = [_check(target) for target in targets]
    for report in reports if form == "text" else ():
        print_diagnostics(report.diagnostics, report.target, report.sources, err=False)
    errors, warnings = (_count(reports, severity) for severity in ("error", "warning"))
    unreadable = [report.unreadable for report in reports if report.unreadable is not None]
    if form == "json":
        print_json(
            {"ok": not errors and not unreadable, "targets": [report.document() for report in reports]}
        )
    else:
        for error in unreadable:
            click.echo(f"error[{error.code}]: {error.message}", err=True)
        named = ", ".join(str(target) for target in targets)
        click.echo(f"{named}: {counted(errors, 'error')}, {counted(warnings, 'warning')}")
    sys.exit(UNUSABLE if unreadable else REFUSED if errors else 0)


@dataclass(frozen=True)
class _Report:
    """What there is to say about one target; ``unreadable`` where it could not be looked at."""

    target: Path
    diagnostics: tuple[Diagnostic, ...] = ()
    sources: Mapping[str, bytes] = field(default_factory=dict)
    unreadable: SourceError | None = None

    def document(self) -> dict[str, Any]:
        found = {"target": str(self.target), **diagnostics_document(self.diagnostics, self.target)}
        if self.unreadable is None:
            return found
        error = {"code": self.unreadable.code, "message": self.unreadable.message}
        return {**found, "ok": False, "error": error}


def _check(target: Path) -> _Report:
    try:
        built = compile_path(target)
    except SourceError as error:
        return _Report(target, unreadable=error)
    except CompileError as error:
        return _Report(target, error.diagnostics, error.sources)
    return _Report(target, built.diagnostics, built.sources)


def _count(reports: list[_Report], severity: str) -> int:
    return sum(found.severity == severity for report in reports for found in report.diagnostics)
