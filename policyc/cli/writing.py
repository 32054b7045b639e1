"""Files that a command writes."""

from __future__ import annotations

from pathlib import Path

from policyc.cli.answers import fail
from policyc.files import replace_files


def write_file(path: Path, content: bytes, form: str = "text") -> None:
    """Puts ``content`` at ``path`` in one step, so that a watcher never reads half of it."""
    try:
        replace_files({path: content})
    except OSError as error:
        fail(
            "unwritable_file",
            f"cannot write {path}: {error.strerror}",
            "Check the place and the space.",
            form=form,
        )
