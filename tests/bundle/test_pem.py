"""What usually happens to PEM text on its way is said in the message (opa.md section 5 row 11)."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa

from policyc.bundle.errors import BundleError
from policyc.bundle.pem import looks_like_bare_key, looks_like_pem, read_private, read_public

from .conftest import Keys
from .crafting import refusal


def code_of(content: bytes, *, private: bool = False) -> str:
    with pytest.raises(BundleError) as caught:
        (read_private if private else read_public)(content, '"key.pem"')
    assert "key.pem" in caught.value.message
    return refusal(caught.value)


def message_of(content: bytes) -> str:
    with pytest.raises(BundleError) as caught:
        read_public(content, '"key.pem"')
    assert refusal(caught.value) == "key_malformed"
    return str(caught.value)


def private_pem(key: object, password: bytes | None = None, style: str = "PKCS8") -> bytes:
    encryption = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    content: bytes = key.private_bytes(  # type: ignore[attr-defined]
        serialization.Encoding.PEM, getattr(serialization.PrivateFormat, style), encryption
    )
    return content


@pytest.fixture
def public(keys: dict[str, Keys]) -> bytes:
    return keys["RS256"].public_file.read_bytes()


def test_line_breaks_that_became_backslash_n(public: bytes) -> None:
    message = message_of(public.replace(b"\n", b"\\n"))
    assert "the two characters \\n" in message
    assert "real line breaks" in message


def test_line_breaks_that_yaml_folded_into_spaces(public: bytes) -> None:
    message = message_of(public.replace(b"\n", b" "))
    assert "one long line" in message
    assert "`|` block" in message


def test_a_missing_end_and_a_missing_begin(public: bytes) -> None:
    assert "-----END" in message_of(public.rpartition(b"-----END")[0])
    assert "cannot be read" in message_of(public.partition(b"KEY-----")[2])


def test_damaged_content(public: bytes) -> None:
    lines = public.splitlines()
    assert "cannot be read" in message_of(b"\n".join([lines[0], *lines[2:]]))


def test_windows_line_breaks_and_text_around_are_fine(public: bytes) -> None:
    read_public(public.replace(b"\n", b"\r\n"), "x")
    read_public(b"# the release key\n" + public, "x")


def test_several_blocks_are_ambiguous(public: bytes) -> None:
    assert code_of(public + public) == "key_malformed"


def test_the_other_half_of_a_pair_is_called_so(keys: dict[str, Keys]) -> None:
    assert code_of(keys["ES256"].private_file.read_bytes()) == "key_wrong_kind"
    assert code_of(keys["ES256"].public_file.read_bytes(), private=True) == "key_wrong_kind"


@pytest.mark.parametrize("style", ["PKCS8", "TraditionalOpenSSL"])
def test_private_keys_in_either_format_encrypted_ones_refused(style: str) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    assert isinstance(read_private(private_pem(key, style=style), "x"), ec.EllipticCurvePrivateKey)
    assert code_of(private_pem(key, b"password", style), private=True) == "key_encrypted"


def test_weak_and_unsupported_keys() -> None:
    assert code_of(private_pem(rsa.generate_private_key(65537, 1024)), private=True) == "key_too_weak"
    for key in (ec.generate_private_key(ec.SECP384R1()), ed25519.Ed25519PrivateKey.generate()):
        assert code_of(private_pem(key), private=True) == "key_algorithm"
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        assert code_of(public) == "key_algorithm"
    assert code_of(private_pem(dsa.generate_private_key(2048)), private=True) == "key_algorithm"


def test_keys_without_armour_are_recognised(public: bytes, keys: dict[str, Keys]) -> None:
    body = b"".join(line for line in public.splitlines() if not line.startswith(b"-"))
    openssh = serialization.load_pem_public_key(public).public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    private = b"".join(
        line for line in keys["ES256"].private_file.read_bytes().splitlines() if b"-" not in line
    )
    for bare in (body, base64.b64decode(body), openssh, private, base64.b64decode(private), b'{"kty":"RSA"}'):
        assert not looks_like_pem(bare)
        assert looks_like_bare_key(bare)
    for secret in (b"correct horse battery staple, 32 bytes", b"x" * 32, b"MFkw" * 20, b"0" * 64, bytes(32)):
        assert not looks_like_bare_key(secret)
