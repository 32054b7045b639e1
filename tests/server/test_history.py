"""The record of served versions: it outlives the process, and one process writes it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from policyc_server.history import ServedVersions

from policyc.bundle.artifact import Artifact, read_artifact
from policyc.bundle.errors import BundleError
from server.material import Keys, make_artifact


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    return tmp_path / "sources"


def signed(folder: Path, keys: Keys, version: int, cap: int = 1) -> Artifact:
    content = make_artifact(folder, cap, key=keys.signing, version=version)
    return read_artifact(content, trusted=[keys.verification])


def refusal(history: ServedVersions, artifact: Artifact) -> str:
    with pytest.raises(BundleError) as caught:
        history.admit(artifact)
    return caught.value.code


def test_it_outlives_the_process(state: Path, sources: Path, keys: Keys) -> None:
    with closing(ServedVersions(state)) as history:
        history.admit(signed(sources, keys, 5))
    with closing(ServedVersions(state)) as history:
        assert refusal(history, signed(sources, keys, 4)) == "version_too_old"
        assert refusal(history, signed(sources, keys, 5, cap=2)) == "version_conflict"
        history.admit(signed(sources, keys, 5))
        history.admit(signed(sources, keys, 6, cap=2))


def test_without_a_folder_it_lasts_as_long_as_the_process(sources: Path, keys: Keys) -> None:
    history = ServedVersions(None)
    history.admit(signed(sources, keys, 5))
    assert refusal(history, signed(sources, keys, 4)) == "version_too_old"
    ServedVersions(None).admit(signed(sources, keys, 4))


def test_two_servers_cannot_share_a_folder(state: Path) -> None:
    with closing(ServedVersions(state)):
        with pytest.raises(BundleError) as caught:
            ServedVersions(state)
        assert "another server" in caught.value.message
    ServedVersions(state).close()


def test_what_cannot_be_recorded_is_not_served(state: Path, sources: Path, keys: Keys) -> None:
    with closing(ServedVersions(state)) as history:
        history.admit(signed(sources, keys, 5))
        record = state / "served.json"
        content = record.read_bytes()
        record.unlink()
        record.mkdir()  # root may write anywhere, but not over a folder
        assert refusal(history, signed(sources, keys, 6)) == "state_unwritable"
        record.rmdir()
        record.write_bytes(content)
        history.admit(signed(sources, keys, 6))


def test_a_damaged_record_is_no_empty_record(state: Path) -> None:
    ServedVersions(state).close()
    (state / "served.json").write_bytes(b'{"format":1')
    with pytest.raises(BundleError) as caught:
        ServedVersions(state)
    assert caught.value.code == "state_damaged"


def test_leftovers_of_a_killed_server_are_removed(state: Path, sources: Path, keys: Keys) -> None:
    with closing(ServedVersions(state)) as history:
        history.admit(signed(sources, keys, 5))
    (state / ".served.json.0123456789abcdef").write_bytes(b"half")
    with closing(ServedVersions(state)):
        assert sorted(path.name for path in state.iterdir()) == ["served.json", "served.lock"]


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BundleError) as caught:
        ServedVersions(tmp_path / "file" / "state")
    assert caught.value.code == "state_unwritable"
