"""``policyc bench``: how fast it is here, beside the targets."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import click
from rich.console import Console

from policyc.bench.processes import BenchError
from policyc.bench.suite import Sizes, run
from policyc.bench.tables import tables
from policyc.cli.answers import REFUSED, fail, format_option, print_json

_NARROWEST = 100
_ENDING = (signal.SIGTERM, signal.SIGHUP)


@click.command("bench")
@format_option
@click.pass_obj
def command(sizes: Sizes | None, form: str) -> None:
    """Measure decisions, compiling, reloads and requests; takes about two minutes.

    Exit 1 when a decision was wrong or a request failed; a missed target is shown, and is exit 0.
    """
    started = monotonic()
    try:
        with _ended_as_interrupted():
            report = run(lambda step: click.echo(f"{monotonic() - started:4.0f} s  {step}", err=True), sizes)
    except BenchError as error:
        fail("bench_failed", str(error), form=form, exit_code=REFUSED)
    if form == "json":
        print_json(report.document())
    else:
        console = Console()
        console.width = max(console.width, _NARROWEST)
        console.print(tables(report))
    sys.exit(0 if report.is_right else REFUSED)


@contextmanager
def _ended_as_interrupted() -> Iterator[None]:
    """SIGTERM and SIGHUP as Ctrl-C, so that processes and files are cleared away."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
