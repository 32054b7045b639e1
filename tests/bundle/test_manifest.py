from __future__ import annotations

import json
from typing import Any

import pytest

from policyc.bundle.errors import BundleError
from policyc.bundle.manifest import (
    Manifest,
    check_revision,
    listing_digest,
    read_manifest,
    revision_of,
    write_manifest,
)

from .crafting import refusal

WRITTEN = {
    "metadata": {"policyc": {"format": 1}},
    "rego_version": 1,
    "revision": "r1",
    "roots": ["policyc/payments"],
}


def code_of(document: Any) -> str:
    with pytest.raises(BundleError) as caught:
        read_manifest(document)
    return refusal(caught.value)


def test_is_written_compactly_and_read_back() -> None:
    content = write_manifest("payments", "r1")
    assert content == json.dumps(WRITTEN, separators=(",", ":")).encode()
    manifest = read_manifest(json.loads(content))
    assert manifest == Manifest("payments", "r1")
    assert manifest.roots == ("policyc/payments",)


def test_metadata_of_others_is_kept() -> None:
    manifest = read_manifest({**WRITTEN, "metadata": {"policyc": {"format": 1}, "registry": {"tag": "x"}}})
    assert manifest.metadata == {"registry": {"tag": "x"}}


@pytest.mark.parametrize("key", ["rootz", "wasm", "file_rego_versions", "Revision", ""])
def test_unknown_keys_are_refused(key: str) -> None:
    assert code_of({**WRITTEN, key: []}) == "manifest_unknown_key"
    assert code_of({**WRITTEN, "metadata": {"policyc": {"format": 1, key: 1}}}) == "manifest_unknown_key"


@pytest.mark.parametrize("found", [0, 2, 1.0, "1", True, None, 10**30])
def test_other_formats_are_refused(found: object) -> None:
    assert (
        code_of({**WRITTEN, "roots": ["later"], "metadata": {"policyc": {"format": found}}})
        == "format_unsupported"
    )


@pytest.mark.parametrize(
    "roots",
    [
        None,
        [],
        [""],
        ["policyc"],
        ["authz"],
        ["policyc/a", "policyc/b"],
        ["policyc/a", ""],
        "policyc/payments",
        [1],
        ["policyx/a"],
    ],
)
def test_other_roots_are_refused(roots: object) -> None:
    assert code_of({**WRITTEN, "roots": roots}) == "roots_unexpected"


@pytest.mark.parametrize("root", ["policyc/", "policyc/a/b", "policyc/A", "policyc/..", "policyc/payments/"])
def test_roots_that_are_no_bundle_are_refused(root: str) -> None:
    assert code_of({**WRITTEN, "roots": [root]}) == "bundle_name_invalid"


@pytest.mark.parametrize("document", [None, [], "x", {}, {"metadata": {}}, {"metadata": {"policyc": 1}}])
def test_other_shapes_are_refused(document: object) -> None:
    assert code_of(document) == "manifest_invalid"


@pytest.mark.parametrize("found", [None, 0, 2, "1", True, 1.0])
def test_the_rego_version_is_one(found: object) -> None:
    assert code_of({**WRITTEN, "rego_version": found}) == "manifest_invalid"


@pytest.mark.parametrize("revision", [None, "", 5, "x" * 257, "a\nb", "a\x1b[0m", "\u202e"])
def test_revisions_that_cannot_be_logged_are_refused(revision: object) -> None:
    assert code_of({**WRITTEN, "revision": revision}) == "revision_invalid"


def test_revisions() -> None:
    for revision in ("r1", "v1.2 (übung)", "a" * 256):
        assert check_revision(revision) == revision


def test_the_digest_can_be_made_with_sha256sum() -> None:
    # printf '%s  %s\n' bb .manifest aa b | sha256sum
    hashes = {"b": "aa", ".manifest": "bb", ".signatures.json": "cc"}
    assert listing_digest(hashes) == "2c1fde135555a8799de594f26727d544f334adc74e5443a80c28fee1ac023661"
    assert revision_of(hashes) == listing_digest({"b": "aa"}) != listing_digest(hashes)
