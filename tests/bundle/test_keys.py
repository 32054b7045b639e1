from __future__ import annotations

import datetime
import os
import stat
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from policyc.bundle.errors import BundleError
from policyc.bundle.keys import (
    ALGORITHMS,
    KeyPair,
    default_key_id,
    generate_key,
    load_signing_key,
    load_verification_key,
    write_key_pair,
)

from .conftest import Keys
from .crafting import refusal

SECRET = "a secret of more than thirty-two bytes".replace(" ", "-").encode()


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    path = tmp_path / "ops.secret"
    path.write_bytes(SECRET + b"\n")
    return path


# Files of new keys.


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_new_keys_are_loaded_with_their_algorithm_and_id(keys: dict[str, Keys], algorithm: str) -> None:
    pair = keys[algorithm]
    assert (pair.signing.algorithm, pair.signing.id) == (algorithm, "release")
    assert (pair.verification.algorithm, pair.verification.id) == (algorithm, "release")


def test_new_keys_are_strong(keys: dict[str, Keys]) -> None:
    rsa_key, ec_key, secret = (keys[algorithm].signing.material for algorithm in ("RS256", "ES256", "HS256"))
    assert isinstance(rsa_key, rsa.RSAPrivateKey)
    assert rsa_key.key_size == 3072
    assert isinstance(ec_key, ec.EllipticCurvePrivateKey)
    assert isinstance(ec_key.curve, ec.SECP256R1)
    assert isinstance(secret, bytes)
    assert len(secret) == 64
    assert generate_key("HS256").private != generate_key("HS256").private


def test_private_files_are_for_the_owner_only(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        private, public = write_key_pair(generate_key("ES256"), tmp_path, "release")
        secret, none = write_key_pair(generate_key("HS256"), tmp_path, "release")
    finally:
        os.umask(old)
    assert (private.name, public and public.name, secret.name) == (
        "release.pem",
        "release.pub.pem",
        "release.secret",
    )
    assert none is None
    assert [stat.S_IMODE(path.stat().st_mode) for path in (private, secret)] == [0o600, 0o600]


@pytest.mark.parametrize("taken", ["release.pem", "release.pub.pem"])
def test_nothing_is_overwritten_and_then_nothing_is_written(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_text("precious")
    with pytest.raises(BundleError) as caught:
        write_key_pair(KeyPair("ES256", b"private", b"public"), tmp_path, "release")
    assert refusal(caught.value) == "key_exists"
    assert [path.name for path in tmp_path.iterdir()] == [taken]
    assert (tmp_path / taken).read_text() == "precious"


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "release.pem").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BundleError) as caught:
        write_key_pair(KeyPair("ES256", b"private", b"public"), tmp_path, "release")
    assert refusal(caught.value) == "key_exists"
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_is_missing_and_names_that_are_paths(tmp_path: Path) -> None:
    with pytest.raises(BundleError) as caught:
        write_key_pair(KeyPair("HS256", SECRET, None), tmp_path / "none", "release")
    assert refusal(caught.value) == "key_unwritable"
    for name in ("../release", "", "a b", "x/y"):
        with pytest.raises(BundleError) as caught:
            write_key_pair(KeyPair("HS256", SECRET, None), tmp_path, name)
        assert refusal(caught.value) == "key_id_invalid"


@pytest.mark.parametrize("algorithm", ["none", "RS512", "hs256", "", "EdDSA"])
def test_other_algorithms_are_refused(algorithm: str, keys: dict[str, Keys]) -> None:
    for refused in (
        lambda: generate_key(algorithm),
        lambda: load_signing_key(keys["RS256"].private_file, algorithm or "x"),
        lambda: load_verification_key(str(keys["RS256"].public_file), algorithm or "x"),
    ):
        with pytest.raises(BundleError) as caught:
            refused()
        assert refusal(caught.value) == "key_algorithm"


# Ids.


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("release.pem", "release"),
        ("release.pub.pem", "release"),
        ("acme.prod.pem", "acme.prod"),
        ("key", "key"),
        ("a.crt", "a"),
        ("b.secret", "b"),
        (".pem", ".pem"),
    ],
)
def test_the_id_is_the_stem_of_the_file(file: str, expected: str) -> None:
    assert default_key_id(Path("/keys") / file) == expected


def test_an_id_can_be_given(keys: dict[str, Keys], tmp_path: Path) -> None:
    pair = keys["ES256"]
    assert load_signing_key(pair.private_file, key_id="2031-q1").id == "2031-q1"
    assert load_verification_key(f"2031-q1={pair.public_file}").id == "2031-q1"
    odd = tmp_path / "a=b.pem"
    odd.write_bytes(pair.public_file.read_bytes())
    assert load_verification_key(f"c={odd}").id == "c"
    for spec in (f"={pair.public_file}", f"a b={pair.public_file}", str(odd)):
        with pytest.raises(BundleError) as caught:
            load_verification_key(spec)
        assert refusal(caught.value) == "key_id_invalid"


# The algorithm is the key's.


def test_a_given_algorithm_must_be_that_of_the_key(keys: dict[str, Keys], secret_file: Path) -> None:
    assert load_verification_key(str(keys["RS256"].public_file), "RS256").algorithm == "RS256"
    for path, wanted in [
        (keys["RS256"].public_file, "HS256"),
        (keys["RS256"].public_file, "ES256"),
        (keys["ES256"].public_file, "RS256"),
        (secret_file, "RS256"),
    ]:
        with pytest.raises(BundleError) as caught:
            load_verification_key(str(path), wanted)
        assert refusal(caught.value) == "key_algorithm"
        assert f"expected a key for {wanted}" in caught.value.message


def test_a_certificate_verifies(keys: dict[str, Keys], tmp_path: Path) -> None:
    private = keys["RS256"].signing.material
    assert isinstance(private, rsa.RSAPrivateKey)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "release")])
    long_ago = datetime.datetime(2001, 1, 1)
    certificate = (
        x509.CertificateBuilder(
            name, name, private.public_key(), 1, long_ago, long_ago + datetime.timedelta(days=1)
        )
        .sign(private, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )
    path = tmp_path / "release.crt"
    path.write_bytes(certificate)
    key = load_verification_key(str(path))
    assert (key.id, key.algorithm) == ("release", "RS256")


# Secrets.


def test_a_secret_is_the_file_without_its_last_line_break(secret_file: Path) -> None:
    assert load_signing_key(secret_file).material == SECRET
    assert load_verification_key(str(secret_file)).material == SECRET


def test_short_secrets_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.secret"
    for length in (0, 1, 31):
        path.write_bytes(b"s" * length + b"\n")
        with pytest.raises(BundleError) as caught:
            load_signing_key(path, "HS256")
        assert refusal(caught.value) == "key_too_weak"
        assert f"has {length} bytes, expected at least 32" in caught.value.message
    path.write_bytes(b"s" * 32)
    assert load_signing_key(path).algorithm == "HS256"


def test_binary_secrets_need_the_algorithm_to_be_named(tmp_path: Path) -> None:
    path = tmp_path / "x.secret"
    path.write_bytes(bytes(range(64)))
    assert load_signing_key(path, "HS256").material == bytes(range(64))
    with pytest.raises(BundleError, match="HS256"):
        load_signing_key(path)


def test_a_public_key_never_passes_as_a_secret(keys: dict[str, Keys], tmp_path: Path) -> None:
    pem = keys["RS256"].public_file.read_bytes()
    der = serialization.load_pem_public_key(pem).public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    body = b"".join(line for line in pem.splitlines() if not line.startswith(b"-"))
    path = tmp_path / "x.pem"
    for content in (der, body, pem.replace(b"\n", b"\\n"), pem.replace(b"\n", b" "), pem[20:]):
        path.write_bytes(content)
        for algorithm in (None, "HS256"):
            with pytest.raises(BundleError) as caught:
                load_verification_key(str(path), algorithm)
            assert refusal(caught.value) == "key_malformed"


def test_secrets_do_not_show_in_a_repr(secret_file: Path) -> None:
    shown = repr(
        [load_signing_key(secret_file), load_verification_key(str(secret_file)), generate_key("HS256")]
    )
    assert "secret-of" not in shown
    assert "private" not in shown


# Files that are not there, or not keys.


def test_unreadable_files(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.pem"):
        with pytest.raises(BundleError) as caught:
            load_signing_key(path)
        assert refusal(caught.value) == "key_unreadable"
    with pytest.raises(BundleError) as caught:
        load_verification_key("x=/dev/zero")
    assert refusal(caught.value) == "key_malformed"
