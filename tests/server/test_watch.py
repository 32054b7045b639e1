"""Watches follow names, though the system ties them to folders."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from policyc_server.watch import FolderWatch


class Changes(threading.Event):
    """Set by a change."""

    def come(self) -> bool:
        return self.wait(2)

    def stay_away(self) -> bool:
        return not self.wait(0.2)


@pytest.fixture
def changes() -> Changes:
    return Changes()


@pytest.fixture
def watch(changes: Changes) -> Iterator[FolderWatch]:
    watch = FolderWatch(changes.set)
    yield watch
    watch.stop()


def names(*folders: Path) -> frozenset[str]:
    return frozenset(map(str, folders))


def test_changes_are_told_and_reading_is_not(watch: FolderWatch, changes: Changes, tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert watch.follow(names(tmp_path))
    (tmp_path / "a").read_bytes()
    os.listdir(tmp_path)
    assert changes.stay_away()
    (tmp_path / "a").write_bytes(b"x")
    assert changes.come()


def test_a_folder_made_anew_is_watched_anew(watch: FolderWatch, changes: Changes, tmp_path: Path) -> None:
    """Most file systems give the new folder the inode of the old one."""
    folder = tmp_path / "b"
    for _ in range(3):
        folder.mkdir()
        assert watch.follow(names(folder))
        changes.clear()
        (folder / "a").touch()
        assert changes.come()
        shutil.rmtree(folder)


def test_a_folder_that_is_not_there(watch: FolderWatch, tmp_path: Path) -> None:
    assert not watch.follow(names(tmp_path, tmp_path / "missing"))
    assert watch.follow(names(tmp_path))
    assert watch.error is None


def test_nothing_stays_open(watch: FolderWatch, tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number in range(5):
        (tmp_path / str(number)).mkdir()
        assert watch.follow(names(tmp_path, tmp_path / str(number)))
    watch.stop()
    assert len(os.listdir("/proc/self/fd")) == before
