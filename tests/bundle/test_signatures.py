from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization

from policyc.bundle.errors import BundleError
from policyc.bundle.keys import ALGORITHMS, SigningKey, VerificationKey
from policyc.bundle.signatures import (
    HIGHEST_VERSION,
    Token,
    check_files,
    check_version,
    read_token,
    sign,
    verify,
)

from .conftest import Keys
from .crafting import base64url, jwt_by_hand, refusal

HASHES = {".manifest": "a" * 64, "policyc/payments/data.json": "b" * 64}
FILES = [{"name": name, "hash": digest, "algorithm": "SHA-256"} for name, digest in HASHES.items()]
HEADER = {"alg": "ES256", "typ": "JWT", "kid": "release"}
PAYLOAD = {"files": FILES, "version": 7}


def document(*tokens: object, **more: object) -> bytes:
    return json.dumps({"signatures": list(tokens), **more}).encode()


def code_of(content: bytes) -> str:
    with pytest.raises(BundleError) as caught:
        read_token(content)
    return refusal(caught.value)


def code_of_jwt(header: object = HEADER, payload: object = PAYLOAD) -> str:
    return code_of(document(jwt_by_hand(header, payload, b"k" * 32)))


def verified_code(token: Token, *trusted: VerificationKey) -> str:
    with pytest.raises(BundleError) as caught:
        verify(token, trusted)
    return refusal(caught.value)


# Signing.


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_round_trip(keys: dict[str, Keys], algorithm: str) -> None:
    token = read_token(sign(HASHES, keys[algorithm].signing, 7))
    assert (token.algorithm, token.key_id, token.version, token.files) == (algorithm, "release", 7, HASHES)
    signature = verify(token, [keys[algorithm].verification])
    assert (signature.key_id, signature.algorithm, signature.version, signature.verified) == (
        "release",
        algorithm,
        7,
        True,
    )


def test_the_token_is_as_opa_writes_it(release: Keys) -> None:
    content = json.loads(sign(HASHES, release.signing, 7))
    assert content.keys() == {"signatures"}
    header, payload, _ = content["signatures"][0].split(".")
    assert header == base64url(b'{"alg":"ES256","kid":"release","typ":"JWT"}')
    assert payload == base64url(json.dumps(PAYLOAD, separators=(",", ":"), sort_keys=True).encode())


@pytest.mark.parametrize("algorithm", ["HS256", "RS256"])
def test_signing_twice_gives_the_same_bytes_where_the_algorithm_does(
    keys: dict[str, Keys], algorithm: str
) -> None:
    assert sign(HASHES, keys[algorithm].signing, 7) == sign(HASHES, keys[algorithm].signing, 7)


@pytest.mark.parametrize("version", [-1, True, 1.0, "1", None, HIGHEST_VERSION + 1])
def test_versions_are_integers_in_range(version: Any, release: Keys) -> None:
    with pytest.raises(BundleError) as caught:
        sign(HASHES, release.signing, version)
    assert refusal(caught.value) == "version_invalid"
    assert code_of_jwt(payload={**PAYLOAD, "version": version}) == "version_invalid"


def test_the_lowest_and_highest_version() -> None:
    assert [check_version(version) for version in (0, HIGHEST_VERSION)] == [0, HIGHEST_VERSION]


def test_a_key_that_cannot_sign_is_an_error_of_ours() -> None:
    with pytest.raises(BundleError) as caught:
        sign(
            HASHES,
            SigningKey("x", "HS256", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
            1,
        )
    assert refusal(caught.value) == "key_malformed"


# The form of the token.


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"{}",
        b'{"signatures":{}}',
        b'{"signatures":[1]}',
        b'{"signatures":"x"}',
        document("x", plugin="custom"),
        document("x", extra=1),
        document("x"),
        document("a.b"),
        document("a.b.c.d"),
        document("a.b."),
        document("a.b.c="),
        document("+.b.c"),
        document("A.AAAA.AAAA"),
    ],
)
def test_other_shapes(content: bytes) -> None:
    assert code_of(content) == "signature_malformed"


def test_the_size_is_bounded_before_it_is_parsed() -> None:
    assert code_of(b'{"signatures":[' + b"[]," * 3_000_000 + b"[]]}") == "too_large"


def test_how_many() -> None:
    token = jwt_by_hand(HEADER, PAYLOAD, b"")
    assert code_of(document()) == "signature_missing"
    assert code_of(document(token, token)) == "signature_several"
    assert read_token(document(token, plugin="_default")).version == 7


def test_json_of_the_token_is_strict() -> None:
    duplicate = base64url(b'{"alg":"none","alg":"ES256"}')
    payload = base64url(json.dumps(PAYLOAD).encode())
    assert code_of(document(f"{duplicate}.{payload}.AAAA")) == "duplicate_key"
    assert code_of(document(f"{base64url(b'not json')}.{payload}.AAAA")) == "json_invalid"
    assert code_of(b'{"signatures":[],"signatures":["x"]}') == "duplicate_key"
    assert code_of_jwt(payload=[]) == "signature_malformed"


@pytest.mark.parametrize("extra", ["crit", "b64", "jwk", "jku", "x5c", "x5u", "zip", "cty"])
def test_header_fields_that_are_not_enforced(extra: str) -> None:
    assert code_of_jwt({**HEADER, extra: []}) == "claim_unsupported"


@pytest.mark.parametrize("claim", ["exp", "nbf", "aud", "sub", "jti", "Version"])
def test_claims_that_are_not_enforced(claim: str) -> None:
    assert code_of_jwt(payload={**PAYLOAD, claim: 1}) == "claim_unsupported"


def test_claims_that_only_inform() -> None:
    claims = {**PAYLOAD, "iat": 1, "iss": "ci", "keyid": "default", "scope": ""}
    token = read_token(document(jwt_by_hand({"alg": "HS256"}, claims, b"k" * 32)))
    assert (token.key_id, token.version) == ("default", 7)


def test_a_scope_is_named() -> None:
    with pytest.raises(BundleError, match='without a scope, found the scope "write"') as caught:
        read_token(document(jwt_by_hand(HEADER, {**PAYLOAD, "scope": "write"}, b"")))
    assert refusal(caught.value) == "scope_mismatch"


@pytest.mark.parametrize("algorithm", ["none", "None", "", "RS512", "HS384", "es256", None, 1])
def test_other_algorithms(algorithm: object) -> None:
    assert code_of_jwt({**HEADER, "alg": algorithm}) == "algorithm_not_trusted"


def test_other_types_and_key_ids() -> None:
    assert code_of_jwt({**HEADER, "typ": "JWE"}) == "signature_malformed"
    assert code_of_jwt({**HEADER, "kid": 5}) == "signature_malformed"
    assert read_token(document(jwt_by_hand({"alg": "ES256"}, PAYLOAD, b"k"))).key_id is None


@pytest.mark.parametrize(
    "files",
    [
        None,
        {},
        [1],
        [{"name": "a", "hash": "a" * 64}],
        [{**FILES[0], "extra": 1}],
        [{**FILES[0], "hash": "A" * 64}],
        [{**FILES[0], "hash": "a" * 63}],
        [{**FILES[0], "hash": 1}],
        [{**FILES[0], "name": 1}],
        [FILES[0], FILES[0]],
        [{**FILES[0], "algorithm": "SHA256"}],
        [{**FILES[0], "algorithm": "MD5"}],
        [{**FILES[0], "algorithm": ""}],
    ],
)
def test_other_lists_of_files(files: object) -> None:
    assert code_of_jwt(payload={"files": files, "version": 7}) == "signature_malformed"


def test_a_signature_without_a_version_is_refused() -> None:
    assert code_of_jwt(payload={"files": FILES}) == "version_invalid"


# Trust.


def test_keys_rotate_whatever_the_key_id_says(release: Keys, stranger: Keys, keys: dict[str, Keys]) -> None:
    token = read_token(sign(HASHES, SigningKey("old", "ES256", release.signing.material), 7))
    old = VerificationKey("2030", "ES256", release.verification.material)
    others = [keys["RS256"].verification, keys["HS256"].verification, stranger.verification]
    for trusted in ([old], [*others, old], [old, *others]):
        assert (
            verify(token, trusted).key_id == "2030"
        )  # the name of the key that is trusted, not the claimed one
    assert verified_code(token, *others) == "signature_invalid"


def test_a_key_id_is_a_hint_and_no_more(release: Keys, stranger: Keys) -> None:
    token = read_token(sign(HASHES, release.signing, 7))
    right = VerificationKey("other", "ES256", release.verification.material)
    assert stranger.verification.id == token.key_id
    assert verify(token, [stranger.verification, right]).key_id == "other"


def test_the_key_that_the_token_names_is_tried_first(release: Keys) -> None:
    token = read_token(sign(HASHES, release.signing, 7))
    same = VerificationKey("a", "ES256", release.verification.material)
    assert verify(token, [same, release.verification]).key_id == "release"


def test_a_stranger_is_refused_and_both_sides_are_named(release: Keys, stranger: Keys) -> None:
    token = read_token(sign(HASHES, stranger.signing, 7))
    assert verified_code(token, release.verification) == "signature_invalid"
    with pytest.raises(
        BundleError, match=r'key id "release"\) is by none of the trusted keys "release" \(ES256\)'
    ):
        verify(token, [release.verification])


def test_the_algorithm_is_the_keys(keys: dict[str, Keys]) -> None:
    """RS256 turned into HS256 with the public key as secret, the classic confusion; and `none`."""
    public = keys["RS256"].public_file.read_bytes()
    key = serialization.load_pem_public_key(public)
    der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    for secret in (public, public.strip(), der):
        token = read_token(document(jwt_by_hand({**HEADER, "alg": "HS256"}, PAYLOAD, secret)))
        assert verified_code(token, keys["RS256"].verification) == "algorithm_not_trusted"
        assert (
            verified_code(token, keys["RS256"].verification, keys["HS256"].verification)
            == "signature_invalid"
        )
    # A truly signed token that claims another algorithm; OPA ignores the claim, we do not.
    token = read_token(
        document(jwt_by_hand({**HEADER, "alg": "RS256"}, PAYLOAD, keys["HS256"].signing.material))
    )
    assert verified_code(token, keys["HS256"].verification) == "algorithm_not_trusted"
    assert (
        code_of(document(jwt_by_hand({**HEADER, "alg": "none"}, PAYLOAD, None) + "AA"))
        == "algorithm_not_trusted"
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_part_can_be_changed(keys: dict[str, Keys], algorithm: str) -> None:
    (encoded,) = json.loads(sign(HASHES, keys[algorithm].signing, 7))["signatures"]
    header, _, signature = encoded.split(".")
    other = base64url(json.dumps({**PAYLOAD, "version": 8}).encode())
    assert verified_code(
        read_token(document(f"{header}.{other}.{signature}")), keys[algorithm].verification
    ) == ("signature_invalid")
    kid = base64url(json.dumps({**HEADER, "alg": algorithm, "kid": "x"}).encode())
    _, payload, _ = encoded.split(".")
    assert verified_code(
        read_token(document(f"{kid}.{payload}.{signature}")), keys[algorithm].verification
    ) == ("signature_invalid")
    assert verified_code(read_token(document(f"{header}.{payload}.AAAA")), keys[algorithm].verification) == (
        "signature_invalid"
    )


# The files.


def test_exactly_the_listed_files() -> None:
    token = read_token(document(jwt_by_hand(HEADER, PAYLOAD, b"k")))
    check_files(token, HASHES)
    for hashes, code, name in [
        ({**HASHES, "README.md": "c" * 64}, "file_not_signed", "README.md"),
        ({".manifest": HASHES[".manifest"]}, "file_missing", "data.json"),
        ({**HASHES, ".manifest": "c" * 64}, "file_changed", ".manifest"),
    ]:
        with pytest.raises(BundleError, match=name) as caught:
            check_files(token, hashes)
        assert refusal(caught.value) == code
