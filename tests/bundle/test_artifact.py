from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policyc.bundle.archive import read_archive, write_archive
from policyc.bundle.artifact import Limits, build_artifact, read_artifact, revision_of_content, sign_artifact
from policyc.bundle.errors import BundleError

from .conftest import Keys
from .crafting import edited, pack, refusal, unpack

DATA = "policyc/payments/data.json"


def code_of(artifact: bytes, **options: Any) -> str:
    with pytest.raises(BundleError) as caught:
        read_artifact(artifact, **options)
    return refusal(caught.value)


# Building.


def test_the_layout(unsigned: bytes, data: dict[str, Any], sources: dict[str, bytes]) -> None:
    files = unpack(unsigned)
    assert list(files) == [
        ".manifest",
        DATA,
        "policyc/payments/hooks/hooks.json",
        "policyc/payments/sources/bundle.yaml",
        "policyc/payments/sources/policies/payments.yaml",
    ]
    assert json.loads(files[DATA]) == data
    assert files["policyc/payments/sources/bundle.yaml"] == sources["bundle.yaml"]
    manifest = json.loads(files[".manifest"])
    assert manifest["roots"] == ["policyc/payments"]
    assert manifest["metadata"] == {"policyc": {"format": 1}}  # no release, no host, no time


def test_data_is_written_compactly_in_utf8(unsigned: bytes) -> None:
    text = unpack(unsigned)[DATA].decode("utf-8")
    assert text.startswith('{"bundle":"payments","default_policy":"payments_agent","format":1,"policies":{')
    assert "Über 1.000 € <b>&</b>" in text
    assert "\\u2028" in text


def test_the_same_input_gives_the_same_bytes_in_any_process(tmp_path: Path) -> None:
    script = (
        "import sys; from policyc.bundle.artifact import build_artifact;"
        "sources = {name: name.encode() for name in {'a.yaml', 'b.yaml', 'c.yaml', 'ü.yaml'}};"
        "data = {'format': 1, 'bundle': 'x', **{key: 1 for key in {'p', 'q', 'r'}}};"
        "sys.stdout.buffer.write(build_artifact(data, sources))"
    )
    built = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "TZ": zone},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed, zone in [("1", "UTC"), ("2", "Asia/Tokyo")]
    }
    assert len(built) == 1


def test_the_revision_is_the_digest_of_the_content(
    unsigned: bytes, data: dict[str, Any], sources: dict[str, bytes]
) -> None:
    files = unpack(unsigned)
    del files[".manifest"]
    lines = "".join(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))
    assert revision_of_content(data, sources, {"hooks.json": b"{}"}) == read_artifact(unsigned).revision
    assert read_artifact(unsigned).revision == hashlib.sha256(lines.encode()).hexdigest()
    changed = build_artifact(
        data, {**sources, "bundle.yaml": b"bundle: payments # \n"}, {"hooks.json": b"{}"}
    )
    assert read_artifact(changed).revision != read_artifact(unsigned).revision


def test_a_given_revision_is_kept(data: dict[str, Any]) -> None:
    artifact = read_artifact(build_artifact(data, {}, revision="v1.2-3-gabc"))
    assert artifact.revision == "v1.2-3-gabc"


@pytest.mark.parametrize(
    "name", ["data.json", "a/data.yml", "rules.rego", "x/.manifest", ".signatures.json", "patch.json"]
)
def test_sources_that_opa_would_read_are_refused(data: dict[str, Any], name: str) -> None:
    for sources, hooks in [({name: b""}, {}), ({}, {name: b""})]:
        with pytest.raises(BundleError) as caught:
            build_artifact(data, sources, hooks)
        assert refusal(caught.value) == "reserved_name"
        assert name in caught.value.message


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"bundle": None}, "bundle_name_invalid"),
        ({"bundle": "../x"}, "bundle_name_invalid"),
        ({"format": 2}, "format_unsupported"),
        ({"format": True}, "format_unsupported"),
        ({"x": float("nan")}, "data_invalid"),
        ({"x": {1, 2}}, "data_invalid"),
        ({"x": "\ud800"}, "data_invalid"),
    ],
)
def test_data_that_is_not_sound_is_not_built(data: dict[str, Any], change: dict[str, Any], code: str) -> None:
    with pytest.raises(BundleError) as caught:
        build_artifact({**data, **change}, {})
    assert refusal(caught.value) == code


def test_unsafe_source_names_and_revisions_are_not_built(data: dict[str, Any]) -> None:
    for sources, revision, code in [
        ({"../x": b""}, None, "unsafe_path"),
        ({"/etc/x": b""}, None, "unsafe_path"),
        ({"._x": b""}, None, "appledouble_file"),
        ({}, "", "revision_invalid"),
    ]:
        with pytest.raises(BundleError) as caught:
            build_artifact(data, sources, revision=revision)
        assert refusal(caught.value) == code


# Reading.


def test_what_is_read(signed: bytes, release: Keys, data: dict[str, Any], sources: dict[str, bytes]) -> None:
    artifact = read_artifact(signed, trusted=[release.verification])
    assert artifact.bundle == "payments"
    assert artifact.data == data
    assert artifact.sources == sources
    assert artifact.hooks == {"hooks.json": b"{}"}
    assert artifact.files == unpack(signed)
    assert artifact.version == 7
    assert artifact.signature is not None
    assert artifact.signature.verified


def test_without_trusted_keys_nothing_is_verified(signed: bytes, unsigned: bytes) -> None:
    assert read_artifact(unsigned).signature is None
    artifact = read_artifact(signed)
    assert artifact.signature is not None
    assert (artifact.signature.key_id, artifact.signature.version) == ("release", 7)
    assert not artifact.signature.verified
    assert artifact.version is None
    assert code_of(edited(signed, {DATA: b"{}"})) == "file_changed"  # damage is found all the same


def test_the_digest_is_that_of_the_content(unsigned: bytes, signed: bytes, keys: dict[str, Keys]) -> None:
    digest = read_artifact(unsigned).digest
    assert read_artifact(signed).digest == digest
    assert read_artifact(sign_artifact(signed, keys["HS256"].signing, version=9)).digest == digest
    assert read_artifact(pack(dict(reversed(unpack(unsigned).items())))).digest == digest
    renamed = edited(
        unsigned, {".manifest": unpack(unsigned)[".manifest"].replace(b'"revision":"', b'"revision":"x')}
    )
    assert read_artifact(renamed).digest != digest


def test_signing_again_replaces_the_signature(signed: bytes, release: Keys, keys: dict[str, Keys]) -> None:
    again = sign_artifact(signed, keys["RS256"].signing, version=8)
    assert read_artifact(again, trusted=[keys["RS256"].verification]).version == 8
    assert code_of(again, trusted=[release.verification]) == "algorithm_not_trusted"
    assert {**unpack(again), ".signatures.json": b""} == {**unpack(signed), ".signatures.json": b""}


def test_only_sound_artifacts_are_signed(unsigned: bytes, release: Keys) -> None:
    refused: list[tuple[dict[str, bytes | None], str]] = [
        ({"README.md": b""}, "unexpected_file"),
        ({"x.rego": b""}, "reserved_name"),
        ({".manifest": None}, "manifest_missing"),
        ({DATA: b"[]"}, "data_invalid"),
    ]
    for changes, code in refused:
        with pytest.raises(BundleError) as caught:
            sign_artifact(edited(unsigned, changes), release.signing, version=1)
        assert refusal(caught.value) == code


def test_the_smallest_artifact() -> None:
    artifact = read_artifact(build_artifact({"format": 1, "bundle": "a"}, {}))
    assert (artifact.data, artifact.sources, artifact.hooks) == ({"format": 1, "bundle": "a"}, {}, {})


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({".manifest": None}, "manifest_missing"),
        ({".manifest": b"{}"}, "manifest_invalid"),
        ({".manifest": b"\0"}, "json_invalid"),
        ({".manifest": b'{"roots":[""],"roots":["policyc/payments"]}'}, "duplicate_key"),
        ({"sub/.manifest": b"{}"}, "reserved_name"),
        ({DATA: None}, "data_missing"),
        ({DATA: b"[]"}, "data_invalid"),
        ({DATA: b"null"}, "data_invalid"),
        ({DATA: b'{"format":1,"bundle":"other"}'}, "data_invalid"),
        ({DATA: b'{"format":1}'}, "data_invalid"),
        ({DATA: b'{"format":2,"bundle":"payments"}'}, "format_unsupported"),
        ({DATA: b'{"format":1,"bundle":"payments","x":NaN}'}, "json_invalid"),
        ({DATA: b'{"format":1,"bundle":"payments","a":1,"a":2}'}, "duplicate_key"),
        ({"policyc/other/data.json": b"{}"}, "unexpected_file"),
        ({"data.json": b"{}"}, "reserved_name"),
        ({"policyc/payments/patch.json": b'{"data":[]}'}, "reserved_name"),
        ({"policyc/payments/decision.rego": b"package x"}, "reserved_name"),
        ({"policyc/payments/sources/data.yaml": b"a: 1"}, "reserved_name"),
        ({"README.md": b""}, "unexpected_file"),
        ({"policyc/payments/README.md": b""}, "unexpected_file"),
        ({"sub/.signatures.json": b"{}"}, "reserved_name"),
        ({".SIGNATURES.json": b"{}"}, "reserved_name"),
        ({"signatures.json": b"{}"}, "reserved_name"),
        ({".signatures.json": b"{}"}, "signature_malformed"),
        ({"._.manifest": b""}, "appledouble_file"),
    ],
)
def test_what_is_refused_unsigned(unsigned: bytes, changes: dict[str, bytes | None], code: str) -> None:
    assert code_of(edited(unsigned, changes)) == code


def test_limits_are_those_of_the_caller(unsigned: bytes) -> None:
    assert code_of(unsigned, limits=Limits(entries=3)) == "too_many_entries"


def test_nothing_but_the_token_is_parsed_before_it_is_verified(
    signed: bytes, release: Keys, stranger: Keys
) -> None:
    tampered = edited(signed, {DATA: b"not json", ".manifest": b"not json"})
    assert code_of(tampered, trusted=[stranger.verification]) == "signature_invalid"
    assert code_of(tampered, trusted=[release.verification]) == "json_invalid"


def test_a_big_artifact_is_read_at_once(release: Keys) -> None:
    """10,000 rules: the C path of the hash, some 0.2 s; the exact path takes seconds."""
    rule = {"tools": ["payment.*"], "clauses": [{"path": "$.a", "op": "gt", "value": 1.5, "match": "any"}]}
    data = {"format": 1, "bundle": "big", "rules": [{**rule, "label": f"règle {n}"} for n in range(10_000)]}
    artifact = sign_artifact(build_artifact(data, {}), release.signing, version=1)
    assert read_artifact(artifact, trusted=[release.verification]).data == data


DEEP: Any = []
for _ in range(900):
    DEEP = [DEEP]


@pytest.mark.parametrize("key", ["revision", "roots", "rego_version", "metadata", "x"])
def test_deep_nesting_is_refused_like_anything_else(unsigned: bytes, key: str) -> None:
    manifest = {**json.loads(unpack(unsigned)[".manifest"]), key: DEEP}
    assert code_of(edited(unsigned, {".manifest": json.dumps(manifest).encode()}))
    data = {**json.loads(unpack(unsigned)[DATA]), "format": DEEP}
    assert code_of(edited(unsigned, {DATA: json.dumps(data).encode()}))


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_change_of_the_archive_gets_through(signed: bytes, release: Keys, draw: st.DataObject) -> None:
    """Bytes of the tar replaced, removed, added or repeated: BundleError, or the content that was signed."""
    honest = read_artifact(signed, trusted=[release.verification])
    tar = gzip.decompress(signed)
    start = draw.draw(st.integers(0, len(tar)))
    end = draw.draw(st.integers(start, min(len(tar), start + 2048)))
    new = draw.draw(st.binary(max_size=24) | st.just(tar[start:end] * 2) | st.just(bytes(512)))
    try:
        read = read_artifact(gzip.compress(tar[:start] + new + tar[end:]), trusted=[release.verification])
    except BundleError as error:
        refusal(error)
    else:
        assert (read.digest, read.data, read.sources) == (honest.digest, honest.data, honest.sources)


def test_what_build_writes_the_archive_reads(unsigned: bytes) -> None:
    assert write_archive(read_archive(unsigned)) == unsigned
