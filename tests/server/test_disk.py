"""What counts as a change on disk, and where it shows."""

from __future__ import annotations

import os
import time
from pathlib import Path

from policyc_server.disk import TICK, fingerprint, watched_folders

from server.material import put, write_bundle


def test_equal_while_nothing_changes(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b")
    assert fingerprint(folder) == fingerprint(folder)


def test_every_change_shows(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b")
    policy = folder / "policies" / "agent.yaml"
    text = policy.read_bytes()
    seen = [fingerprint(folder)]

    def differs() -> None:
        seen.append(fingerprint(folder))
        assert seen[-1] not in seen[:-1]

    put(policy, text)
    differs()
    time.sleep(TICK)
    policy.write_bytes(text.replace(b"100000", b"200000"))
    differs()
    (folder / "policies" / "new.yaml").write_bytes(text)
    differs()
    policy.unlink()
    differs()
    policy.symlink_to(folder / "policies" / "new.yaml")
    differs()
    policy.unlink()
    policy.symlink_to("nowhere.yaml")
    differs()
    os.rename(folder, tmp_path / "away")
    differs()


def test_what_never_is_a_source_does_not_show(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b")
    before = fingerprint(folder)
    (folder / ".git").mkdir()
    (folder / "policies" / ".agent.yaml.swp").touch()
    (folder / "policies" / "#agent.yaml#").touch()
    (folder / "policies" / "~agent.yaml").touch()
    assert fingerprint(folder) == before


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b")
    (folder / "policies" / "up").symlink_to(folder)
    assert len(fingerprint(folder).files) == 2
    (tmp_path / "self").symlink_to("self")
    assert fingerprint(tmp_path / "self").files
    assert watched_folders(tmp_path / "self")


def test_a_recent_change_is_not_settled(tmp_path: Path) -> None:
    path = tmp_path / "p.tar.gz"
    path.write_bytes(b"x")
    assert not fingerprint(path).is_settled
    time.sleep(TICK + 0.02)
    assert fingerprint(path).is_settled
    assert fingerprint(tmp_path / "missing").is_settled


def test_a_file_is_watched_from_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "p.tar.gz"
    path.touch()
    assert watched_folders(path) == {str(tmp_path)}


def test_a_missing_file_is_watched_from_the_last_folder_there_is(tmp_path: Path) -> None:
    assert watched_folders(tmp_path / "p.tar.gz") == {str(tmp_path)}
    assert watched_folders(tmp_path / "a" / "b" / "p.tar.gz") == {str(tmp_path)}


def test_a_folder_is_watched_with_those_in_it_and_from_beside_it(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "b")
    (folder / "policies" / "team").mkdir()
    (folder / ".git").mkdir()
    below = {str(folder), str(folder / "policies"), str(folder / "policies" / "team")}
    assert watched_folders(folder) == {*below, str(tmp_path)}


def test_every_link_on_the_way_is_watched(tmp_path: Path) -> None:
    for name in ("etc", "etc/..v1", "opt"):
        (tmp_path / name).mkdir()
    (tmp_path / "etc" / "..v1" / "p.tar.gz").touch()
    (tmp_path / "etc" / "..data").symlink_to("..v1")
    (tmp_path / "etc" / "p.tar.gz").symlink_to("..data/p.tar.gz")
    (tmp_path / "opt" / "current").symlink_to(tmp_path / "etc")
    assert watched_folders(tmp_path / "opt" / "current" / "p.tar.gz") == {
        str(tmp_path / "opt"),
        str(tmp_path / "etc"),
        str(tmp_path / "etc" / "..v1"),
    }


def test_links_in_a_folder_are_watched_where_they_lead(tmp_path: Path) -> None:
    write_bundle(tmp_path / "mount" / "..v1")
    (tmp_path / "mount" / "..data").symlink_to("..v1")
    for name in ("policies", "bundle.yaml"):
        (tmp_path / "mount" / name).symlink_to(f"..data/{name}")
    hidden = tmp_path / "mount" / "..v1"
    assert watched_folders(tmp_path / "mount") == {
        str(tmp_path),
        str(tmp_path / "mount"),
        str(hidden),
        str(hidden / "policies"),
    }
