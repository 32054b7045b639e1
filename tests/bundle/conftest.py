"""One key of each algorithm and one artifact, made once: RSA keys take a while."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from policyc.bundle.artifact import build_artifact, sign_artifact
from policyc.bundle.keys import (
    ALGORITHMS,
    SigningKey,
    VerificationKey,
    generate_key,
    load_signing_key,
    load_verification_key,
    write_key_pair,
)


class Keys(NamedTuple):
    """A signing key, the key that verifies it, and the files of both."""

    signing: SigningKey
    verification: VerificationKey
    private_file: Path
    public_file: Path


def make_keys(folder: Path, algorithm: str, name: str) -> Keys:
    private, public = write_key_pair(generate_key(algorithm), folder, name)
    public = public or private
    return Keys(load_signing_key(private), load_verification_key(str(public)), private, public)


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Keys]:
    """The key `release` of each algorithm."""
    return {
        algorithm: make_keys(tmp_path_factory.mktemp(algorithm), algorithm, "release")
        for algorithm in ALGORITHMS
    }


@pytest.fixture(scope="session")
def release(keys: dict[str, Keys]) -> Keys:
    return keys["ES256"]


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """A key nobody trusts, with the same id as `release`."""
    return make_keys(tmp_path_factory.mktemp("stranger"), "ES256", "release")


@pytest.fixture
def data() -> dict[str, Any]:
    return {
        "format": 1,
        "bundle": "payments",
        "default_policy": "payments_agent",
        "policies": {
            "payments_agent": {
                "default_verdict": "deny",
                "rules": [
                    {
                        "label": "cap payment amount",
                        "clauses": [{"path": "$.amount_cents", "op": "gt", "value": 100000}],
                        "verdict": "deny",
                        "reason": "Über 1.000 € <b>&</b> braucht es einen Menschen.\u2028",
                    }
                ],
            }
        },
    }


@pytest.fixture
def sources() -> dict[str, bytes]:
    return {"bundle.yaml": b"bundle: payments\n", "policies/payments.yaml": b"policy: payments-agent\n"}


@pytest.fixture
def unsigned(data: dict[str, Any], sources: dict[str, bytes]) -> bytes:
    return build_artifact(data, sources, {"hooks.json": b"{}"})


@pytest.fixture
def signed(unsigned: bytes, release: Keys) -> bytes:
    return sign_artifact(unsigned, release.signing, version=7)
