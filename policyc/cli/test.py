"""``policyc test``: the tests beside the policies."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from policyc.cli.answers import (
    PATH,
    REFUSED,
    counted,
    fail,
    loaded,
    opened,
    print_json,
    verify_key_option,
)
from policyc.cli.watching import watched
from policyc.source.render import render_text
from policyc.source.tree import SourceError
from policyc.testing.mutation.report import mutation_lines
from policyc.testing.parallel import WorkerDied
from policyc.testing.report_json import document
from policyc.testing.report_junit import junit
from policyc.testing.report_text import Opened, coverage_lines, failure_lines, summary
from policyc.testing.selection import Filter, Wanted, wanted
from policyc.testing.session import Options, Tested, mutated, prepared, run

#: Tests from which a person at a terminal is shown how far it is.
_LONG_RUN = 500


@click.command("test")
@click.argument("paths", nargs=-1, required=True, type=PATH)
@click.option("-k", "text", metavar="TEXT", help="Only tests with TEXT in their file or name.")
@click.option("--policy", metavar="NAME", help="Only tests of which this policy decides a call.")
@click.option(
    "--tests",
    multiple=True,
    type=PATH,
    metavar="PATH",
    help="Test files or folders, instead of those beside.",
)
@click.option("--coverage", "cover", is_flag=True, help="Show which rules and clauses no test came to.")
@click.option(
    "--min", "least", type=click.FloatRange(0, 100), metavar="PERCENT", help="Exit 1 below this coverage."
)
@click.option(
    "--mutate",
    "mutating",
    is_flag=True,
    help="Change the rules one by one, and show the changes that no test notices.",
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes; as many as pay where it is left out.")
@click.option("--watch", "watch", is_flag=True, help="Run again whenever a file changes, until interrupted.")
@verify_key_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "junit"]),
    default="text",
    show_default=True,
    help="Output form.",
)
def command(
    paths: tuple[Path, ...],
    text: str | None,
    policy: str | None,
    tests: tuple[Path, ...],
    cover: bool,
    least: float | None,
    mutating: bool,
    jobs: int | None,
    watch: bool,
    verify_keys: tuple[str, ...],
    form: str,
) -> None:
    """Run the tests of bundle folders, policy files and artifacts, or single test files.

    Exit 0 when all that were asked for pass, 1 when one fails, there was none to run, or a mutant survives.
    """
    options = Options(tests, Filter(text, policy), jobs, cover or least is not None, mutating)
    once = partial(_once, wanted(paths), options, least, verify_keys, form)
    if watch:
        watched([*paths, *tests], once)
    sys.exit(once())


def _once(
    asked: Sequence[Wanted], options: Options, least: float | None, verify_keys: tuple[str, ...], form: str
) -> int:
    started = time.perf_counter()
    tested = [_prepared(one, options, verify_keys, form) for one in asked]
    if not any(one.suite.has_errors for one in tested):
        tested = _run(tested, options, form)
    problems = [_problem(one, least) for one in tested]
    if not any(one.suite.cases or one.suite.diagnostics for one in tested):
        problems.append(_NONE)
    _PRINTERS[form](tested, time.perf_counter() - started, not any(problems))
    for problem in filter(None, problems):
        click.echo(problem, err=True)
    return REFUSED if any(problem is not None for problem in problems) else 0


_NONE = (
    "error[no_tests]: no test was run\n"
    "  help: tests are in tests/ of a bundle, or in NAME.test.yaml beside NAME.yaml; -k and --policy choose"
)


def _problem(one: Tested, least: float | None) -> str | None:
    """Why the command refuses, as its last word on a target; None where all is well."""
    if one.suite.has_errors:
        return f"{one.target}: the tests have errors, so none was run"
    if one.failed:
        return f"{one.target}: {counted(len(one.failed), 'test')} of {len(one.results)} failed"
    if least is not None and one.coverage is not None and one.coverage.percent < least:
        return f"{one.target}: coverage {one.coverage.percent:.1f} % is below {least:g} %"
    if one.mutation is not None and one.mutation.counts["surviving"]:
        return f"{one.target}: {counted(one.mutation.counts['surviving'], 'mutant')} survived"
    return None


def _prepared(one: Wanted, options: Options, verify_keys: tuple[str, ...], form: str) -> Tested:
    errors = "json" if form == "json" else "text"
    target = loaded(one.target, verify_keys, errors)
    try:
        return prepared(one, target, options)
    except SourceError as error:
        fail(error.code, error.message, form=errors)


def _run(tested: list[Tested], options: Options, form: str) -> list[Tested]:
    with _progress(sum(len(one.suite.cases) for one in tested)) as advance:
        try:
            done = [run(one, options, advance) for one in tested]
        except WorkerDied as error:
            fail(
                "worker_died", str(error), "Run it with --jobs 1.", form="json" if form == "json" else "text"
            )

    return [_mutated(one, options) for one in done] if options.mutating else done


def _mutated(one: Tested, options: Options) -> Tested:
    with _bar("mutants") as tell:
        return mutated(one, options, tell)


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, for a person who waits, that is told how many of how many are done."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def _progress(tests: int) -> Iterator[Callable[[], None]]:
    """A bar on stderr, for a person who waits."""
    if tests < _LONG_RUN or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("tests", total=tests)
        yield lambda: progress.advance(task)


def _opened(one: Tested) -> Opened:
    """Paths of sources and test files as the user would open them."""

    def path_of(path: str) -> str:
        if path not in one.suite.sources:
            return opened(path, one.target)
        if one.suite.is_given:
            return path
        return str(one.target / path if one.target.is_dir() else one.target.with_name(path))

    return path_of


def _print_diagnostics(one: Tested, *, err: bool) -> None:
    place = _opened(one)
    found = [replace(found, path=place(found.path)) for found in one.suite.diagnostics]
    files = {place(path): content for path, content in one.suite.sources.items()}
    click.echo(render_text(found, files), err=err, nl=False)


def _print_text(tested: Sequence[Tested], seconds: float, _is_fine: bool) -> None:
    for one in tested:
        _print_diagnostics(one, err=False)
        for line in failure_lines(one, _opened(one), one.failed):
            click.echo(line)
        if one.coverage is not None:
            for line in coverage_lines(one, _opened(one)):
                click.echo(line)
        if one.mutation is not None:
            for line in mutation_lines(one.mutation, _opened(one)):
                click.echo(line)
    click.echo(summary(tested, seconds))


def _print_json(tested: Sequence[Tested], seconds: float, is_fine: bool) -> None:
    targets = [document(one, _opened(one)) for one in tested]
    print_json({"ok": is_fine, "seconds": round(seconds, 6), "targets": targets})


def _print_junit(tested: Sequence[Tested], seconds: float, _is_fine: bool) -> None:
    for one in tested:
        _print_diagnostics(one, err=True)
    click.echo(junit(tested, {str(one.target): _opened(one) for one in tested}, seconds))


_PRINTERS: dict[str, Callable[[Sequence[Tested], float, bool], None]] = {
    "text": _print_text,
    "json": _print_json,
    "junit": _print_junit,
}
