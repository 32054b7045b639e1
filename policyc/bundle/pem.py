"""PEM text to key objects, with a word on what usually spoils such text on its way."""

from __future__ import annotations

import base64
import binascii
import re

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from policyc.bundle.errors import BundleError

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey

_BLOCK = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----")
_SMALLEST_RSA = 2048


def looks_like_pem(content: bytes) -> bool:
    """Whether this was meant as PEM, also if it is spoilt."""
    return b"-----BEGIN" in content or b"-----END" in content


def looks_like_bare_key(content: bytes) -> bool:
    """Whether this is a key without its PEM armour: DER, the base64 of DER, or an OpenSSH public key.

    Such a file must never pass as an HMAC secret: a public key is no secret, and who knows it could sign.
    """
    if content.startswith((b"ssh-", b"ecdsa-", b"sk-")) or content.lstrip().startswith(b"{"):
        return True
    try:
        decoded = base64.b64decode(b"".join(content.split()), validate=True)
    except binascii.Error:
        decoded = b""
    return _is_der(content) or _is_der(decoded)


def read_private(content: bytes, name: str) -> PrivateKey:
    """The RSA or P-256 private key in PEM text; BundleError says what is wrong with the file `name`."""
    label = _label(content, name)
    if "PRIVATE KEY" not in label:
        raise BundleError(
            "key_wrong_kind", f"expected a private key to sign with in {name}, found a {label.lower()}"
        )
    if "ENCRYPTED" in label or b"Proc-Type: 4,ENCRYPTED" in content:
        raise BundleError("key_encrypted", f"the private key in {name} is encrypted")
    try:
        key = serialization.load_pem_private_key(content, password=None)
    except TypeError:
        raise BundleError("key_encrypted", f"the private key in {name} is encrypted") from None
    except (ValueError, UnsupportedAlgorithm):
        raise _spoilt(content, name) from None
    if not isinstance(key, PrivateKey):
        raise BundleError("key_algorithm", f"the key in {name} is neither RSA nor EC")
    _check_strength(key.public_key(), name)
    return key


def read_public(content: bytes, name: str) -> PublicKey:
    """The RSA or P-256 public key in PEM text, or that of a certificate, whatever its dates say."""
    label = _label(content, name)
    if "PRIVATE KEY" in label:
        raise BundleError(
            "key_wrong_kind", f"expected a public key to verify with in {name}, found a private key"
        )
    try:
        key = (
            x509.load_pem_x509_certificate(content).public_key()
            if label == "CERTIFICATE"
            else serialization.load_pem_public_key(content)
        )
    except (ValueError, UnsupportedAlgorithm):
        raise _spoilt(content, name) from None
    if not isinstance(key, PublicKey):
        raise BundleError("key_algorithm", f"the key in {name} is neither RSA nor EC")
    _check_strength(key, name)
    return key


def _label(content: bytes, name: str) -> str:
    labels = _BLOCK.findall(content)
    # Lenient parsers take a folded block; refused here, since the next tool in line will not take it.
    if not labels or _folded(content):
        raise _spoilt(content, name)
    if len(labels) > 1 and labels != [b"EC PARAMETERS", b"EC PRIVATE KEY"]:
        raise BundleError("key_malformed", f"expected one key in {name}, found {len(labels)} PEM blocks")
    return str(labels[-1].decode("ascii"))


def _spoilt(content: bytes, name: str) -> BundleError:
    message = f"the PEM text in {name} cannot be read"
    if b"\\n" in content:
        return BundleError(
            "key_malformed",
            f"{message}: expected line breaks, found the two characters \\n",
            "The text was escaped on its way: write real line breaks (`printf '%b'`, or a YAML `|` block).",
        )
    if _folded(content):
        return BundleError(
            "key_malformed",
            f"{message}: expected line breaks after its first line, found one long line",
            "YAML folds the lines of a plain or `>` scalar into one: use a `|` block.",
        )
    if b"-----END" not in content:
        return BundleError(
            "key_malformed", f"{message}: its -----END line is missing", "Copy the whole file."
        )
    return BundleError("key_malformed", message)


def _folded(content: bytes) -> bool:
    return any(
        b"-----BEGIN" in line and not re.fullmatch(rb"-----BEGIN [A-Z0-9 ]+-----\s*", line)
        for line in content.splitlines()
    )


def _check_strength(key: PublicKey, name: str) -> None:
    if isinstance(key, rsa.RSAPublicKey):
        if key.key_size < _SMALLEST_RSA:
            found = f"the RSA key in {name} has {key.key_size} bits, expected at least {_SMALLEST_RSA}"
            raise BundleError("key_too_weak", found)
    elif not isinstance(key.curve, ec.SECP256R1):
        raise BundleError("key_algorithm", f"expected an EC key on P-256 in {name}, found {key.curve.name}")


def _is_der(content: bytes) -> bool:
    if not content.startswith(b"\x30"):
        return False
    for load in (
        serialization.load_der_public_key,
        lambda der: serialization.load_der_private_key(der, password=None),
        x509.load_der_x509_certificate,
    ):
        try:
            load(content)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            continue
        return True
    return False
