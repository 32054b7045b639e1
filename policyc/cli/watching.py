"""Runs something again whenever a file changes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn

import click
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

#: An editor writes a file in several steps: seconds of quiet after which it is done.
_QUIET = 0.1
_CHANGES = frozenset({"created", "modified", "moved", "deleted"})
_SUFFIXES = (".yaml", ".yml", ".json", ".gz")


def watched(paths: Iterable[Path], once: Callable[[], int]) -> NoReturn:
    """Calls ``once`` now and after every change below ``paths``, until it is interrupted; then ends the
    command with the last answer."""
    changes = _Changes()
    observer = Observer()
    for folder, below in _folders(paths).items():
        observer.schedule(changes, str(folder), recursive=below)
    observer.start()
    code = 0
    try:
        while True:
            code = _answer(once)
            click.echo("watching for changes; interrupt to end", err=True)
            changes.wait()
            click.echo("", err=True)
    except KeyboardInterrupt:
        sys.exit(code)
    finally:
        observer.stop()


def _answer(once: Callable[[], int]) -> int:
    """What ``once`` came to, also where it ended the command: the next change may mend it."""
    try:
        code = once()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    sys.stdout.flush()
    return code


def _folders(paths: Iterable[Path]) -> dict[Path, bool]:
    """Folders to watch, and whether with those below: a file may be replaced, so its folder is watched."""
    found: dict[Path, bool] = {}
    for path in paths:
        folder = path if path.is_dir() else path.parent
        while not folder.is_dir():
            folder = folder.parent
        found[folder] = found.get(folder, False) or path.is_dir()
    return found


class _Changes(FileSystemEventHandler):
    def __init__(self) -> None:
        self._changed = threading.Event()

    def on_any_event(self, event: FileSystemEvent) -> None:
        paths = (str(event.src_path), str(event.dest_path))
        if event.event_type in _CHANGES and any(path.lower().endswith(_SUFFIXES) for path in paths):
            self._changed.set()

    def wait(self) -> None:
        """Returns once something changed and nothing more does."""
        self._changed.wait()
        while self._changed.is_set():
            self._changed.clear()
            self._changed.wait(_QUIET)
