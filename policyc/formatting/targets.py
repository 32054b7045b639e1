"""Which files of a path are policyc's own sources: others have their own formatter."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from policyc.source.tree import BUNDLE_FILE, POLICIES, VALUES_FILE

_SUFFIXES = (".yaml", ".yml")
_FOLDERS = (POLICIES, "tests")


def source_files(path: Path) -> list[tuple[str, Path]]:
    """The files to format at ``path``, each with its path in its bundle, in order: a file itself; of a folder
    the files of every bundle in it. Hidden folders are not looked into."""
    if not path.is_dir():
        return [(path.name, path)]
    return [(str(file.relative_to(bundle)), file) for bundle in _bundles(path) for file in _files(bundle)]


def _bundles(folder: Path) -> Iterator[Path]:
    for found, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if BUNDLE_FILE in files:
            yield Path(found)


def _files(bundle: Path) -> Iterator[Path]:
    for name in (BUNDLE_FILE, VALUES_FILE):
        if (bundle / name).is_file():
            yield bundle / name
    for below in _FOLDERS:
        for found, folders, files in os.walk(bundle / below):
            folders.sort()
            yield from (Path(found) / name for name in sorted(files) if _is_source(name))


def _is_source(name: str) -> bool:
    return name.endswith(_SUFFIXES) and not name.startswith((".", "#", "~"))
