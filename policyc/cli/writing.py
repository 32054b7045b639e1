"""Files that a command writes: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from policyc.cli.answers import fail


def write_file(path: Path, content: bytes, form: str = "text") -> None:
    """Puts ``content`` at ``path`` in one step, so that a watcher never reads half of it."""
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(mode)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        fail(
            "unwritable_file",
            f"cannot write {path}: {error.strerror}",
            "Check the folder and the space.",
            form=form,
        )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
