"""``policyc diff``: which calls are decided differently, with one of each kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from policyc.analysis.difference import Change
from policyc.analysis.report import Report, report
from policyc.analysis.report_json import report_document
from policyc.analysis.report_markdown import report_markdown
from policyc.analysis.report_text import report_lines
from policyc.analysis.wording import decider, edited, shown, verdicts
from policyc.cli.answers import PATH, REFUSED, print_json
from policyc.cli.recordings import calls_of_tests, read_events
from policyc.cli.remarks import Remark, sarif, workflow_commands
from policyc.cli.sides import Side, two_sides

_CODES = {
    "loosened": "Calls get a more lenient verdict than before.",
    "tightened": "Calls get a stricter verdict than before.",
    "uncovered": "Hooks no longer stand before a tool.",
    "unknown": "Whether a verdict changes could not be settled.",
}


@click.command("diff")
@click.argument("old")
@click.argument("new")
@click.argument("path", required=False, type=PATH)
@click.option(
    "--events",
    metavar="FILE|URL",
    help="Recorded calls to count in each change: a file, or a policy server (its key in POLICYC_TOKEN).",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(["loosened", "any", "unknown"]),
    help="Exit 1 when there is such a change; may be given several times.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "sarif", "github"]),
    default="text",
    show_default=True,
    help="Output form.",
)
def command(
    old: str, new: str, path: Path | None, events: str | None, fail_on: tuple[str, ...], form: str
) -> None:
    """Show which calls OLD and NEW decide differently: a call for each change, and whether that is proved to
    be all.

    OLD and NEW are bundle folders, policy files or artifacts. With -- PATH they are git revisions; OLD alone
    may be one too: `policyc diff origin/main bundles/payments`.
    """
    errors = form if form == "json" else "text"
    recorded = None if events is None else read_events(events, errors)
    with two_sides(old, new, path, errors) as (before, after):
        found = report(
            before.loaded.evaluator,
            after.loaded.evaluator,
            events=recorded,
            tried=[*calls_of_tests(after.folder), *_calls_of_examples(before, after)],
        )
        _print(found, before, after, form)
    sys.exit(REFUSED if any(_FAILS[kind](found) for kind in fail_on) else 0)


def _calls_of_examples(*sides: Side) -> list[dict[str, Any]]:
    return [dict(example.call) for side in sides for example in side.loaded.examples]


_FAILS: dict[str, Callable[[Report], bool]] = {
    "loosened": lambda found: bool(found.loosened or found.uncovered),
    "any": lambda found: bool(found.regions or found.structure),
    "unknown": lambda found: bool(found.unknown),
}


def _print(found: Report, old: Side, new: Side, form: str) -> None:
    if form == "json":
        print_json(report_document(found))
    elif form == "markdown":
        click.echo(report_markdown(found, old.opened, new.opened), nl=False)
    elif form == "sarif":
        print_json(sarif(_remarks(found, new), _CODES))
    elif form == "github":
        _echo(workflow_commands(_remarks(found, new)))
    else:
        _echo(report_lines(found, old.opened, new.opened))


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def _remarks(found: Report, new: Side) -> Iterator[Remark]:
    for region in found.regions:
        change = region.change
        message = (
            f"{change.direction}: {verdicts(change.before, change.after)}, from {decider(change.before)} "
            f"to {decider(change.after)}, as for {shown(change.witness)}"
        )
        level = "warning" if change.direction == "loosened" else "note"
        yield _remark(change.direction, level, new, _own_place(change, new), message)
    for edit in found.structure:
        if edit.kind == "uncovered":
            yield _remark("uncovered", "warning", new, edit.place, edited(edit))
    for text in found.unknown:
        yield _remark("unknown", "warning", new, "bundle.yaml", text)


def _own_place(change: Change, new: Side) -> str:
    """Where it is decided now, in a file of the author's: of a preset's rule, the policy that includes it."""
    if not change.new.place.startswith("preset:") or change.after.policy is None:
        return change.new.place
    return str(new.loaded.plan.policies[change.after.policy].source)


def _remark(code: str, level: str, side: Side, place: str, message: str) -> Remark:
    path, _, line = place.rpartition(":")
    if not line.isdecimal():
        path, line = place, "1"
    opened = side.opened(f"{path}:{line}").rpartition(":")[0]
    # A revision is no part of a path that a code host knows.
    return Remark(code, level, opened.partition(":")[2] or opened, int(line), message)
