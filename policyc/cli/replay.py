"""``policyc replay``: recorded calls, decided again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from policyc.analysis.report_json import replay_document
from policyc.analysis.report_text import replay_lines
from policyc.analysis.traffic import as_recorded, decided_by, replay
from policyc.cli.answers import PATH, format_option, loaded, print_json
from policyc.cli.recordings import read_events
from policyc.compiler.presets import shipped_folder, shipped_presets


@click.command("replay")
@click.argument("events")
@click.argument("target", type=PATH)
@click.option(
    "--against", type=PATH, metavar="OLD", help="Compare with this target, not with what was recorded."
)
@format_option
def command(events: str, target: Path, against: Path | None, form: str) -> None:
    """Decide the calls of EVENTS again under TARGET and show those that flip.

    EVENTS is a file with one event or call a line, as `GET /v1/events` gives them, or the address of a policy
    server, such as https://policy.example.com/?since=2026-01-01 (its key in POLICYC_TOKEN). TARGET is a
    bundle folder, one policy file, an artifact, or the name of a bundle that ships, such as the autonomy
    levels tight, balanced and permissive. Exit 0 whether or not a call flips.
    """
    recorded = read_events(events, form)
    before = as_recorded if against is None else decided_by(loaded(_found(against), (), form).evaluator)
    found = replay(recorded, before, loaded(_found(target), (), form).evaluator)
    if form == "json":
        print_json(replay_document(found))
    else:
        for line in replay_lines(found):
            click.echo(line)
    sys.exit(0)


def _found(target: Path) -> Path:
    """``target``, or the bundle of that name which ships."""
    name = str(target)
    return shipped_folder(name) if not target.exists() and name in shipped_presets() else target
