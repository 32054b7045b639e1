"""The versions that were served, in `--state`: rolling back needs a signature with a higher version."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from policyc.bundle.artifact import Artifact
from policyc.bundle.errors import BundleError
from policyc.bundle.state import Record, admit, load_record, save_record

_FILE = "served.json"
_LOCK = "served.lock"
_TURN = "admit.lock"


class ServedVersions:
    """The record of one server. Without a folder it lasts as long as the process; of a group's, the parent
    holds the folder, and the workers admit one after another.

    Raises BundleError: `state_unreadable`, `state_damaged`, or `state_unwritable` where another server has
    the folder, since two writers could put back a lower version.
    """

    def __init__(self, folder: Path | None, *, is_group: bool = False) -> None:
        self._path = None if folder is None else folder / _FILE
        self._lock = None if folder is None or is_group else _lock(folder)
        self._turn = folder / _TURN if folder is not None and is_group else None
        self._record = Record() if self._path is None else load_record(self._path)

    def admit(self, artifact: Artifact) -> None:
        """Notes `artifact` as served, durably, before it is. Raises BundleError where it is older, or where
        the record cannot be written: what is not on record could be rolled back after a restart.

        For a worker of a group, inside of its `turn`."""
        if self._turn is not None and self._path is not None:
            self._record = load_record(self._path)
        record = admit(self._record, artifact)
        if record is not self._record:
            if self._path is not None:
                save_record(self._path, record)
            self._record = record

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """No other worker of the group admits meanwhile. Raises BundleError."""
        if self._turn is None:
            yield
            return
        try:
            descriptor = os.open(self._turn, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise BundleError("state_unwritable", f"cannot write {self._turn}: {error.strerror}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """No other server, and no other group, uses `folder` until this process and those it forks are gone.

    Raises BundleError."""
    descriptor = _lock(folder)
    try:
        load_record(folder / _FILE)
        yield
    finally:
        os.close(descriptor)


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
