"""What we sign, OPA accepts: by a second implementation of its rules, and by OPA itself where it is there."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization

from policyc.bundle.artifact import sign_artifact
from policyc.bundle.canonical import read_structured
from policyc.bundle.keys import ALGORITHMS

from . import opa_oracle
from .conftest import Keys
from .crafting import edited, unpack


def public_material(pair: Keys) -> Any:
    """The key as its file has it, read without our loader."""
    content = pair.public_file.read_bytes()
    return (
        content.strip()
        if pair.verification.algorithm == "HS256"
        else serialization.load_pem_public_key(content)
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_oracle_accepts_what_we_sign(keys: dict[str, Keys], unsigned: bytes, algorithm: str) -> None:
    artifact = sign_artifact(unsigned, keys[algorithm].signing, version=1_900_000_000)
    payload = opa_oracle.verify(artifact, algorithm, public_material(keys[algorithm]))
    assert payload["version"] == 1_900_000_000


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_oracle_refuses_what_was_tampered_with(
    keys: dict[str, Keys], unsigned: bytes, algorithm: str
) -> None:
    artifact = sign_artifact(unsigned, keys[algorithm].signing, version=1)
    key = public_material(keys[algorithm])
    for changes in ({"README.md": b""}, {"policyc/payments/data.json": b"{}"}, {".manifest": None}):
        with pytest.raises(AssertionError):
            opa_oracle.verify(edited(artifact, changes), algorithm, key)
    (token,) = json.loads(unpack(artifact)[".signatures.json"])["signatures"]
    forged = json.dumps({"signatures": [token[:-8] + "AAAAAAAA"]}).encode()
    with pytest.raises(InvalidSignature):
        opa_oracle.verify(edited(artifact, {".signatures.json": forged}), algorithm, key)


@pytest.fixture
def opa() -> Any:
    """OPA's engine as a library: it has no bundle loader, but JWS verification and the JSON encoder."""
    bindings = pytest.importorskip(
        "opa_bindings", reason="needs opa-golib-python-bindings, an embedded OPA that asks for Python 3.14"
    )
    with bindings.OpaEngine() as engine:
        yield engine


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_opa_verifies_the_token(
    keys: dict[str, Keys], unsigned: bytes, stranger: Keys, opa: Any, algorithm: str
) -> None:
    artifact = sign_artifact(unsigned, keys[algorithm].signing, version=7)
    (token,) = json.loads(unpack(artifact)[".signatures.json"])["signatures"]

    def verified_by(key_file: Path) -> Any:
        key = key_file.read_text().strip()
        query = f"x = io.jwt.verify_{algorithm.lower()}(input.token, input.key)"
        return opa.eval_query(query, {"token": token, "key": key})

    assert verified_by(keys[algorithm].public_file) == [{"x": True}]
    if algorithm == "ES256":
        assert verified_by(stranger.public_file) == [{"x": False}]
    (decoded,) = opa.eval_query("[header, payload, _] = io.jwt.decode(input)", token)
    assert decoded["header"] == {"alg": algorithm, "kid": "release", "typ": "JWT"}
    assert decoded["payload"]["version"] == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        '{"revision":"rev-1","roots":["authz","roles"],"rego_version":1,"metadata":{"k":"v"}}',
        '{"b":[1,1.0,1e3,-0,0.10,123456789012345678901234567890],"a":null,"":true}',
        '{"k":"\u2028\u2029\u00e9\x7f\\u0001\\b\\f\\n\\r\\t\\"\\\\/","\uffff":1,"\\ud800\\udc00":2}',
    ],
)
def test_opa_hashes_the_same_text(opa: Any, text: str) -> None:
    # json.marshal is the encoder that OPA hashes with, but it escapes HTML: these have none of <, > and &.
    (found,) = opa.eval_query("text = json.marshal(json.unmarshal(input)); hash = crypto.sha256(text)", text)
    canonical = read_structured("data.json", text.encode("utf-8")).canonical
    assert found == {"text": canonical.decode("utf-8"), "hash": hashlib.sha256(canonical).hexdigest()}
