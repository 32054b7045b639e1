"""Files of recorded calls: events as the evaluator keeps them, or calls, one JSON document a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from policyc.cli.answers import fail
from policyc.engine.documents import Malformed, parse
from policyc.testing.suite import read_suite


def read_events(path: Path, form: str) -> list[object]:
    """One document for each line of ``path``, or for each entry of ``events`` or of a list, where the file is
    one document. A line that is no JSON stands as None. Ends the command when the file cannot be read."""
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
