"""The versions that were served, in `--state`: rolling back needs a signature with a higher version."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from policyc.bundle.artifact import Artifact
from policyc.bundle.errors import BundleError
from policyc.bundle.state import Record, admit, load_record, save_record

_FILE = "served.json"
_LOCK = "served.lock"


class ServedVersions:
    """The record of one server. Without a folder it lasts as long as the process.

    Raises BundleError: `state_unreadable`, `state_damaged`, or `state_unwritable` where another server has
    the folder, since two writers could put back a lower version.
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / _FILE
        self._lock = None if folder is None else _lock(folder)
        self._record = Record() if self._path is None else load_record(self._path)

    def admit(self, artifact: Artifact) -> None:
        """Notes `artifact` as served, durably, before it is. Raises BundleError where it is older, or where
        the record cannot be written: what is not on record could be rolled back after a restart."""
        record = admit(self._record, artifact)
        if record is not self._record:
            if self._path is not None:
                save_record(self._path, record)
            self._record = record

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _lock(folder: Path) -> int:
    path = folder / _LOCK
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BundleError("state_unwritable", f"cannot write {path}: {error.strerror}") from None
    try:
        # Released by the kernel with the process, also after kill -9.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise BundleError(
            "state_unwritable", f"another server uses {folder}", "Give each server a folder of its own."
        ) from None
    _remove_leftovers(folder)
    return descriptor


def _remove_leftovers(folder: Path) -> None:
    # From a server that was killed while it wrote; the record itself is whole.
    for leftover in folder.glob(f".{_FILE}.*"):
        leftover.unlink(missing_ok=True)
