"""Files that a command writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from policyc.cli.answers import fail
from policyc.files import replace_files


def write_file(path: Path, content: bytes, form: str = "text") -> None:
    """Puts ``content`` at ``path`` in one step, so that a watcher never reads half of it."""
    write_files({path: content}, form)


def write_files(files: Mapping[Path, bytes], form: str = "text") -> None:
    """Puts each content at its path, all of them or none where one cannot be written."""
    try:
        replace_files(files)
    except OSError as error:
        named = ", ".join(map(str, files))
        fail(
            "unwritable_file",
            f"cannot write {named}: {error.strerror}",
            "Check the place and the space.",
            form=form,
        )
