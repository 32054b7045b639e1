"""Recorded calls: events as the evaluator keeps them, from a file or its server, or calls of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policyc.cli.answers import fail
from policyc.engine.documents import Malformed, parse
from policyc.testing.suite import read_suite


def read_events(source: str, form: str) -> list[object]:
    """The events of a file or, where ``source`` is a URL, of a server. Ends the command when they cannot be
    had."""
    is_url = source.lower().startswith(("https://", "http://"))
    return _from_server(source, form) if is_url else _from_file(Path(source), form)


def _from_server(url: str, form: str) -> list[object]:
    # An HTTP client and what of the server knows URLs take longer to import than most comparisons take.
    from policyc.cli.event_server import MOST, EventsError, fetch_events

    try:
        recorded = fetch_events(url)
    except EventsError as error:
        fail(error.code, str(error), error.hint, form=form)
    if recorded.more:
        click.echo(f"note: the newest {MOST:,} events; older ones can be had with `?until=TIME`", err=True)
    return recorded.events


def _from_file(path: Path, form: str) -> list[object]:
    """One document for each line of ``path``, or for each entry of ``events`` or of a list, where the file is
    one document. A line that is no JSON stands as None."""
    try:
        content = path.read_bytes()
    except OSError as error:
        fail("unreadable_file", f"cannot read {path}: {error.strerror}", form=form)
    whole = _read(content)
    if isinstance(whole, dict) and isinstance(whole.get("events"), list):
        return list(whole["events"])
    if isinstance(whole, list):
        return whole
    return [_read(line) for line in content.splitlines() if line.strip()]


def calls_of_tests(folder: Path) -> list[dict[str, Any]]:
    """The calls of the bundle's own tests: where to look first for one that shows a change."""
    return [dict(ask.document) for case in read_suite(folder).cases for ask in case.asks]


def _read(content: bytes) -> Any:
    try:
        return parse(content)
    except Malformed:
        return None


__all__ = ["calls_of_tests", "read_events"]
