"""``policyc hooks doctor``: the hooks in a repository, run as their agent would run them."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from policyc.cli.answers import PATH, REFUSED, fail, format_option, print_json
from policyc.hooks.doctor.diagnose import diagnose
from policyc.hooks.doctor.rows import FAULTY, Row
from policyc.hooks.errors import HooksError
from policyc.hooks.generate import TARGETS


@click.command("doctor")
@click.argument("target", type=click.Choice(TARGETS))
@click.argument("folder", type=PATH, metavar="DIR")
@format_option
def command(target: str, folder: Path, form: str) -> None:
    """Run the hooks of TARGET that are in DIR with everything around them that goes wrong, and say what lets
    a call run.

    Exit 0 when all that can be closed is closed, 1 when it is not, 2 when there is nothing to run.
    """
    try:
        rows = diagnose(target, folder)
    except HooksError as error:
        fail(error.code, error.message, error.hint, form=form)
    healthy = not any(row.status in FAULTY for row in rows)
    if form == "json":
        print_json({"target": target, "healthy": healthy, "rows": [asdict(row) for row in rows]})
    else:
        _print(rows)
    sys.exit(0 if healthy else REFUSED)


def _print(rows: list[Row]) -> None:
    table = Table("situation", "status", "why", box=None)
    for row in rows:
        cases = f" ({', '.join(row.cases)})" if row.cases else ""
        table.add_row(row.what + cases, row.status, row.why)
    Console(highlight=False, markup=False).print(table)
