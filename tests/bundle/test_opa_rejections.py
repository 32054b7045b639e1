"""OPA's rejection matrix, and the complaints about OPA that belong to the reader; each with our behaviour.

Where OPA accepts and we refuse, the row says so.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from policyc.bundle.artifact import Limits, read_artifact, sign_artifact
from policyc.bundle.errors import BundleError
from policyc.bundle.keys import SigningKey, VerificationKey

from .conftest import Keys
from .crafting import edited, entry, header, pack, packed, refusal, resigned, unpack

DATA = "policyc/payments/data.json"
SOURCE = "policyc/payments/sources/bundle.yaml"


def code_of(artifact: bytes, *trusted: VerificationKey, limits: Limits | None = None) -> str:
    with pytest.raises(BundleError) as caught:
        read_artifact(artifact, trusted=trusted, limits=limits or Limits())
    return refusal(caught.value)


# The matrix, row by row.


def test_unsigned_with_a_trusted_key(unsigned: bytes, release: Keys) -> None:
    # OPA accepted this for some shapes of its signing block (GHSA-g2pf-6v5v-qcc8). Here there is one shape.
    assert code_of(unsigned, release.verification) == "signature_missing"


def test_unsigned_without_trusted_keys(unsigned: bytes) -> None:
    assert read_artifact(unsigned).signature is None


def test_signed_without_trusted_keys_is_read_as_not_verified(signed: bytes) -> None:
    # OPA refuses it (`verification key not provided`). `inspect` has to read it; it is not called verified.
    signature = read_artifact(signed).signature
    assert signature is not None
    assert not signature.verified


def test_wrong_key(signed: bytes, stranger: Keys) -> None:
    assert code_of(signed, stranger.verification) == "signature_invalid"


@pytest.mark.parametrize(
    "name", ["README.md", "policyc/payments/sources/extra.yaml", "policyc/payments/hooks/x.sh"]
)
def test_extra_file(signed: bytes, release: Keys, name: str) -> None:
    assert code_of(edited(signed, {name: b"x"}), release.verification) == "file_not_signed"


@pytest.mark.parametrize("name", [DATA, SOURCE, ".manifest"])
def test_missing_file(signed: bytes, release: Keys, name: str) -> None:
    assert code_of(edited(signed, {name: None}), release.verification) == "file_missing"


def test_changed_bytes(signed: bytes, release: Keys) -> None:
    assert code_of(edited(signed, {SOURCE: b"bundle: payments\n#"}), release.verification) == "file_changed"
    manifest = unpack(signed)[".manifest"].replace(b'"revision":"', b'"revision":"0')
    assert code_of(edited(signed, {".manifest": manifest}), release.verification) == "file_changed"
    data = unpack(signed)[DATA].replace(b'"deny"', b'"allow"')
    assert code_of(edited(signed, {DATA: data}), release.verification) == "file_changed"


def test_reordered_and_respaced_data_is_the_same_data(
    signed: bytes, release: Keys, data: dict[str, Any]
) -> None:
    respaced = json.dumps(dict(reversed(data.items())), indent=3).encode()
    changed = edited(signed, {DATA: respaced})
    assert read_artifact(changed, trusted=[release.verification]).data == data


def test_another_spelling_of_a_number_is_other_data(signed: bytes, release: Keys) -> None:
    data = unpack(signed)[DATA].replace(b"100000", b"100000.0")
    assert code_of(edited(signed, {DATA: data}), release.verification) == "file_changed"


def test_two_tokens_and_none(signed: bytes, release: Keys) -> None:
    (token,) = json.loads(unpack(signed)[".signatures.json"])["signatures"]
    for tokens, code in [([token, token], "signature_several"), ([], "signature_missing")]:
        document = json.dumps({"signatures": tokens}).encode()
        assert code_of(edited(signed, {".signatures.json": document}), release.verification) == code


def test_dot_slash_entries(signed: bytes, release: Keys) -> None:
    files = {f"./{name}": content for name, content in unpack(signed).items()}
    assert code_of(pack(files), release.verification) == "unsafe_path"


def test_leading_slashes_as_opa_build_writes_them(signed: bytes, release: Keys) -> None:
    files = {f"/{name}": content for name, content in unpack(signed).items()}
    assert read_artifact(pack(files), trusted=[release.verification]).version == 7


def test_an_unsigned_file_in_place_of_a_signed_one(signed: bytes, unsigned: bytes, release: Keys) -> None:
    # OPA's watch mode verifies at the start only. Here each read is the same read: trust is not a state.
    trusted = [release.verification]
    assert read_artifact(signed, trusted=trusted).version == 7
    assert code_of(unsigned, *trusted) == "signature_missing"


def test_names_with_the_folder_in_front(signed: bytes, release: Keys) -> None:
    """`opa sign -b dir` lists `dir/x`: a frequent error of users."""
    files = [
        {"name": f"dir/{name}", "hash": "0" * 64, "algorithm": "SHA-256"}
        for name in unpack(signed)
        if name != ".signatures.json"
    ]
    assert (
        code_of(resigned(signed, release.signing.material, files=files), release.verification)
        == "file_not_signed"
    )


# What OPA takes without a word.


def test_claims_and_header_fields_that_opa_ignores(signed: bytes, release: Keys) -> None:
    key = release.signing.material
    assert read_artifact(resigned(signed, key), trusted=[release.verification]).version == 7
    for artifact, code in [
        (resigned(signed, key, exp=1), "claim_unsupported"),
        (resigned(signed, key, scope="write"), "scope_mismatch"),
        (resigned(signed, key, version=None), "version_invalid"),
        (resigned(signed, key, header={"alg": "none"}), "algorithm_not_trusted"),
        (resigned(signed, key, header={"alg": "HS256"}), "algorithm_not_trusted"),
        (resigned(signed, key, header={"crit": ["exp"]}), "claim_unsupported"),
    ]:
        assert code_of(artifact, release.verification) == code


def test_a_signature_file_in_a_folder(signed: bytes, release: Keys) -> None:
    files = unpack(signed)
    files["sub/.signatures.json"] = files.pop(".signatures.json")
    assert code_of(pack(files), release.verification) == "reserved_name"


def test_an_empty_archive_wipes_nothing(release: Keys) -> None:
    assert code_of(packed()) == "archive_empty"
    assert code_of(packed(), release.verification) == "archive_empty"


def test_duplicate_entries(signed: bytes, release: Keys) -> None:
    files = {**unpack(signed), f"/{DATA}": b"{}"}
    assert code_of(pack(files), release.verification) == "duplicate_entry"
    assert code_of(pack(files)) == "duplicate_entry"


# Row 10: stripped signatures, rotation, unsigned deltas.


def test_row_10_keys_rotate_with_both_trusted(unsigned: bytes, release: Keys, stranger: Keys) -> None:
    old = VerificationKey("2030", "ES256", release.verification.material)
    new = VerificationKey("2031", "ES256", stranger.verification.material)
    by_old = sign_artifact(unsigned, SigningKey("2030", "ES256", release.signing.material), version=1)
    by_new = sign_artifact(unsigned, SigningKey("2031", "ES256", stranger.signing.material), version=2)
    for artifact, key_id in [(by_old, "2030"), (by_new, "2031")]:
        signature = read_artifact(artifact, trusted=[old, new]).signature
        assert signature is not None
        assert signature.key_id == key_id
    assert code_of(by_old, new) == "signature_invalid"  # once the old key is no longer trusted


@pytest.mark.parametrize("stripped", [None, b"{}", b"[]", b'{"signatures":[]}', b'{"signatures":[""]}', b""])
def test_row_10_a_stripped_signature(signed: bytes, release: Keys, stripped: bytes | None) -> None:
    refused = code_of(edited(signed, {".signatures.json": stripped}), release.verification)
    assert refused in {"signature_missing", "signature_malformed", "json_invalid"}


def test_row_10_a_delta(unsigned: bytes, signed: bytes, release: Keys) -> None:
    patch = b'{"data":[{"op":"upsert","path":"/policyc/payments/x","value":1}]}'
    delta = pack({".manifest": unpack(unsigned)[".manifest"], "patch.json": patch})
    assert code_of(delta) == "reserved_name"
    assert code_of(delta, release.verification) == "reserved_name"
    assert code_of(edited(signed, {"patch.json": patch}), release.verification) == "reserved_name"


# Row 11: the message says what was expected and what was found. (Its PEM half is in test_pem.)


def test_row_11_scope(signed: bytes, release: Keys) -> None:
    artifact = resigned(signed, release.signing.material, scope="write")
    with pytest.raises(BundleError, match='expected a signature without a scope, found the scope "write"'):
        read_artifact(artifact, trusted=[release.verification])


# Row 12: files that macOS adds.


@pytest.mark.parametrize("name", ["._.", "._.manifest", "policyc/payments/._data.json"])
def test_row_12_appledouble(signed: bytes, release: Keys, name: str) -> None:
    with pytest.raises(BundleError, match="macOS") as caught:
        read_artifact(edited(signed, {name: b"Mac OS X"}), trusted=[release.verification])
    assert refusal(caught.value) == "appledouble_file"
    assert name in caught.value.message


# Row 16: stop at the limit, while reading.


def test_row_16_a_bomb(release: Keys) -> None:
    deflate = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    start = deflate.compress(header(DATA.encode(), 8**11 - 512))
    bomb = start + b"".join(deflate.compress(bytes(1 << 20)) for _ in range(64)) + deflate.flush()
    assert len(bomb) < 70_000
    assert code_of(bomb, release.verification) == "too_large"
    # The total holds on its own.
    assert code_of(bomb, limits=Limits(file=8**11, total=4 << 20)) == "too_large"


def test_row_16_a_huge_sparse_entry(release: Keys) -> None:
    sparse = entry("PaxHeader/x", b"30 GNU.sparse.realsize=1000000\n", b"x") + entry("a", b"0\n")
    assert (
        code_of(packed(header(b"a", 0, b"S", magic=b"ustar  \0")), release.verification)
        == "unsupported_entry"
    )
    assert code_of(packed(sparse), release.verification) in {"unsupported_entry", "archive_damaged"}
