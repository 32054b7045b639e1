"""File events from watchdog, as one call for any change. Missing events are no fault: the reloader polls."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

from watchdog.events import (
    EVENT_TYPE_CLOSED_NO_WRITE,
    EVENT_TYPE_OPENED,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

_log = logging.getLogger(__name__)

# Loading the policy causes these itself.
_READING = frozenset({EVENT_TYPE_OPENED, EVENT_TYPE_CLOSED_NO_WRITE})
_STOP_WITHIN = 2.0


class FolderWatch:
    """Watches a set of folders that changes as links are swapped and folders are replaced.

    A watch stays with its folder when another takes the name, and ends with it without a word. So each folder
    is held open, which keeps its inode from being given to the next, and names are held against that.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._handler = _AnyChange(on_change)
        self._observer: BaseObserver | None = None
        self._held: dict[str, int] = {}
        self.error: str | None = None
        """Why no events arrive, such as an exhausted inotify limit."""

    def follow(self, folders: frozenset[str]) -> bool:
        """Watches `folders`, and says whether it does: one may have gone meanwhile. Never raises."""
        if self._follows(folders):
            return True
        self.stop()
        try:
            self._start(folders)
            self.error = None
        except Exception as error:
            self.stop()
            if self.error is None:
                _log.warning("no file events, polling instead: %s", error)
            self.error = str(error)
        return self.error is not None or self._follows(folders)

    def stop(self) -> None:
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            if observer.is_alive():
                observer.join(_STOP_WITHIN)
        while self._held:
            os.close(self._held.popitem()[1])

    def _follows(self, folders: frozenset[str]) -> bool:
        return (
            self._observer is not None
            and self._observer.is_alive()
            and folders == self._held.keys()
            and all(_is_at(folder, held) for folder, held in self._held.items())
        )

    def _start(self, folders: frozenset[str]) -> None:
        self._observer = Observer()
        self._observer.daemon = True
        self._observer.start()
        for folder in sorted(folders):
            try:
                held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                self._held[folder] = held
                self._observer.schedule(self._handler, folder)
            except (FileNotFoundError, NotADirectoryError):
                return


class _AnyChange(FileSystemEventHandler):
    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in _READING:
            self._on_change()


def _is_at(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except OSError:
        return False
