from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from policyc.bundle.artifact import Artifact, build_artifact, read_artifact, sign_artifact
from policyc.bundle.errors import BundleError
from policyc.bundle.state import Record, Served, admit, load_record, save_record

from .conftest import Keys
from .crafting import refusal

DIGEST = "a" * 64


@pytest.fixture
def served(release: Keys) -> Any:
    """An artifact as the server reads it."""

    def make(version: int, bundle: str = "payments", revision: str = "r") -> Artifact:
        built = build_artifact({"format": 1, "bundle": bundle}, {}, revision=revision)
        signed = sign_artifact(built, release.signing, version=version)
        return read_artifact(signed, trusted=[release.verification])

    return make


def code_of(record: Record, artifact: Artifact) -> str:
    with pytest.raises(BundleError) as caught:
        admit(record, artifact)
    return refusal(caught.value)


# The rule.


def test_the_first_and_every_higher_version_is_admitted(served: Any) -> None:
    first = admit(Record(), served(5))
    assert first.bundles["payments"].version == 5
    second = admit(first, served(9, revision="r2"))
    assert second.bundles["payments"] == Served(9, served(9, revision="r2").digest, "r2")
    assert first.bundles["payments"].version == 5  # a record is a value


def test_the_same_again_changes_nothing(served: Any) -> None:
    record = admit(Record(), served(5))
    assert admit(record, served(5)) is record


def test_a_lower_version_is_refused(served: Any) -> None:
    record = admit(Record(), served(5))
    assert code_of(record, served(4)) == "version_too_old"
    with pytest.raises(BundleError, match='version 4 of "payments" is older than 5'):
        admit(record, served(4))


def test_the_same_version_with_other_content_is_refused(served: Any) -> None:
    record = admit(Record(), served(5))
    assert code_of(record, served(5, revision="other")) == "version_conflict"


def test_rolling_back_is_old_content_with_a_higher_version(served: Any) -> None:
    record = admit(admit(Record(), served(1, revision="old")), served(2, revision="new"))
    assert admit(record, served(3, revision="old")).bundles["payments"].revision == "old"


def test_bundles_have_their_own_versions(served: Any) -> None:
    record = admit(admit(Record(), served(5)), served(1, bundle="crm"))
    assert {bundle: served.version for bundle, served in record.bundles.items()} == {"payments": 5, "crm": 1}


def test_a_version_that_nobody_vouches_for_is_not_remembered(unsigned: bytes, signed: bytes) -> None:
    for artifact in (unsigned, signed):
        assert code_of(Record(), read_artifact(artifact)) == "not_verified"


# The file.


def test_the_record_survives(tmp_path: Path, served: Any) -> None:
    path = tmp_path / "served.json"
    assert load_record(path) == Record()
    record = admit(admit(Record(), served(5)), served(1, bundle="crm"))
    save_record(path, record)
    assert load_record(path) == record
    newer = admit(record, served(6))
    save_record(path, newer)
    assert load_record(path) == newer
    assert [entry.name for entry in tmp_path.iterdir()] == ["served.json"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"format":2,"bundles":{}}',
        b'{"format":1,"bundles":[]}',
        b'{"format":1,"bundles":{},"more":1}',
        b'{"format":1,"format":1,"bundles":{}}',
        b'{"format":1,"bundles":{"a":{}}}',
        b'{"format":1,"bundles":{"a":5}}',
        json.dumps(
            {"format": 1, "bundles": {"a": {"version": "5", "digest": DIGEST, "revision": "r"}}}
        ).encode(),
        json.dumps({"format": 1, "bundles": {"a": {"version": 5, "digest": "x", "revision": "r"}}}).encode(),
        json.dumps({"format": 1, "bundles": {"a": {"version": 5, "digest": 5, "revision": "r"}}}).encode(),
        json.dumps(
            {"format": 1, "bundles": {"A": {"version": 5, "digest": DIGEST, "revision": "r"}}}
        ).encode(),
        json.dumps(
            {"format": 1, "bundles": {"a": {"version": 5, "digest": DIGEST, "revision": "r", "x": 1}}}
        ).encode(),
        b'{"format":1,"bundles":{}}' + b" " * 2_000_000,
        b"\0" * 200,
    ],
)
def test_a_damaged_record_is_not_an_empty_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "served.json"
    path.write_bytes(content)
    with pytest.raises(BundleError, match="delete it to reset") as caught:
        load_record(path)
    assert refusal(caught.value) == "state_damaged"


def test_an_unreadable_record_is_not_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "served.json"):
        with pytest.raises(BundleError) as caught:
            load_record(path)
        assert refusal(caught.value) == "state_unreadable"


def test_a_record_that_cannot_be_written_is_said_and_the_old_one_stays(tmp_path: Path, served: Any) -> None:
    record = admit(Record(), served(5))
    with pytest.raises(BundleError) as caught:
        save_record(tmp_path / "none" / "served.json", record)
    assert refusal(caught.value) == "state_unwritable"
    (tmp_path / "folder").mkdir()
    with pytest.raises(BundleError) as caught:
        save_record(tmp_path / "folder", record)
    assert refusal(caught.value) == "state_unwritable"
    assert os.listdir(tmp_path) == ["folder"]  # no temporary file is left
