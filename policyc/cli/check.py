"""``policyc check``: every problem of the sources, in one run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from policyc.building import CompileError, compile_path
from policyc.cli.answers import (
    PATH,
    REFUSED,
    counted,
    diagnostics_document,
    fail,
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
    documents = []
    counts = {"error": 0, "warning": 0}
    for target in targets:
        diagnostics, sources = _check(target, form)
        for found in diagnostics:
            counts[found.severity] += 1
        if form == "json":
            documents.append({"target": str(target), **diagnostics_document(diagnostics, target)})
        else:
            print_diagnostics(diagnostics, target, sources, err=False)
    if form == "json":
        print_json({"ok": not counts["error"], "targets": documents})
    else:
        named = ", ".join(str(target) for target in targets)
        click.echo(f"{named}: {counted(counts['error'], 'error')}, {counted(counts['warning'], 'warning')}")
    sys.exit(REFUSED if counts["error"] else 0)


def _check(target: Path, form: str) -> tuple[tuple[Diagnostic, ...], Mapping[str, bytes]]:
    try:
        built = compile_path(target)
    except SourceError as error:
        fail(error.code, error.message, form=form)
    except CompileError as error:
        return error.diagnostics, error.sources
    return built.diagnostics, built.sources
