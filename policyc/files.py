"""Files that are replaced whole: a reader sees the old content or the new one, never half of either."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path


def replace_files(files: Mapping[Path, bytes], *, mode: int = 0o666) -> None:
    """Writes each file beside its place, then puts all of them in place.

    A new file gets ``mode`` less the umask, an old one keeps its own.

    All are complete on disk before the first is moved, so a full disk changes nothing. A link is followed; a
    device, pipe or folder is refused. After a crash each is the old file or the new one. Raises OSError.
    """
    targets = {_place(path): content for path, content in files.items()}
    temporaries: dict[Path, Path] = {}
    try:
        for target, content in targets.items():
            temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
            temporaries[temporary] = target
            _write_synced(temporary, content, mode)
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        for temporary, target in temporaries.items():
            os.replace(temporary, target)
        for folder in {target.parent for target in targets}:
            _sync_folder(folder)
    finally:
        for temporary in temporaries:
            temporary.unlink(missing_ok=True)


def _place(path: Path) -> Path:
    target = path.resolve() if path.is_symlink() else path
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise OSError(0, "is no regular file, and is not replaced", str(path))
    return target


def _write_synced(path: Path, content: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    # The rename itself is durable only once its folder is.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
