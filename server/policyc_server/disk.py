"""What is on disk at a path, cheaply: a fingerprint to compare, and the folders whose events matter."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

#: A change this recent may be followed by another that leaves the same times: file systems stamp in ticks.
TICK = 0.05

_MOST_LINKS = 40
_MOST_ENTRIES = 20_000
#: Each costs a thread; what more folders hold is left to polling.
_MOST_FOLDERS = 64


@dataclass(frozen=True)
class Fingerprint:
    """The identity, size and times of every file at a path. Equal means unchanged, once it is settled."""

    files: tuple[tuple[str | int, ...], ...]
    is_settled: bool = field(compare=False)


def fingerprint(path: Path) -> Fingerprint:
    """The fingerprint of the file or folder at `path`, links followed; of nothing where there is nothing."""
    files: list[tuple[str | int, ...]] = []
    youngest = 0
    for name, status in _walk(str(path)):
        if isinstance(status, int):
            files.append((name, status))
        elif not _is_folder(status):
            times = (status.st_mtime_ns, status.st_ctime_ns)
            files.append((name, status.st_dev, status.st_ino, status.st_mode, status.st_size, *times))
            youngest = max(youngest, status.st_ctime_ns)
    # A time ahead of ours comes from another clock and says nothing.
    return Fingerprint(tuple(sorted(files)), not 0 <= time.time_ns() - youngest < TICK * 1e9)


def watched_folders(path: Path) -> frozenset[str]:
    """Where a change of what is at `path` can show: beside it, in it, and beside each link on the way.

    A watch on a file itself would stay with the old file when another is renamed over it.
    """
    folders = set(_ways(str(path)))
    for name, status in _walk(str(path)):
        if os.path.islink(name):
            folders.update(_ways(name))
        if isinstance(status, os.stat_result) and _is_folder(status):
            folders.add(os.path.realpath(name))
    return frozenset(sorted(folders)[:_MOST_FOLDERS])


def _walk(path: str) -> Iterator[tuple[str, os.stat_result | int]]:
    """Every file and folder at and below `path`, each folder once: its status, or why there is none."""
    pending = [path]
    seen: set[tuple[int, int]] = set()
    for _ in range(_MOST_ENTRIES):
        if not pending:
            return
        path = pending.pop()
        try:
            status = os.stat(path)
            if _is_folder(status):
                if (status.st_dev, status.st_ino) in seen:
                    continue
                seen.add((status.st_dev, status.st_ino))
                pending += [f"{path}/{child}" for child in os.listdir(path) if _may_be_source(child)]
            yield path, status
        except OSError as error:
            yield path, error.errno or -1


def _may_be_source(name: str) -> bool:
    # Never: git, what editors leave behind, the folders behind a ConfigMap's links.
    return not name.startswith((".", "#", "~"))


def _is_folder(status: os.stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode)


def _ways(path: str) -> Iterator[str]:
    """The real folders that hold a link on the way to `path`, and the one that holds it or would."""
    here = "/"
    pending = os.path.abspath(path).split("/")[::-1]
    links = 0
    while pending:
        name = pending.pop()
        step = os.path.normpath(os.path.join(here, name))
        target = _link_target(step) if links < _MOST_LINKS else None
        if target is not None:
            links += 1
            yield here
            here = "/" if target.startswith("/") else here
            pending += target.split("/")[::-1]
        elif pending and os.path.isdir(step):
            here = step
        else:
            break
    yield here


def _link_target(path: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None
