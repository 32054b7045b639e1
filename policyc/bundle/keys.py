"""Keys that sign and keys that are trusted. A key's algorithm is the key's, never that of a token."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from policyc.bundle import pem
from policyc.bundle.errors import BundleError, quote

ALGORITHMS: Final = ("HS256", "RS256", "ES256")
SHORTEST_SECRET: Final = 32  # bytes: the output of SHA-256, RFC 7518 section 3.2
_LARGEST_KEY_FILE: Final = 64 * 1024
_RSA_BITS: Final = 3072
_KEY_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
_SUFFIXES: Final = frozenset({".pem", ".pub", ".key", ".crt", ".cer", ".cert", ".secret"})


@dataclass(frozen=True)
class SigningKey:
    """A private key or a secret; `id` becomes the token's `kid`."""

    id: str
    algorithm: str
    material: pem.PrivateKey | bytes = field(repr=False)


@dataclass(frozen=True)
class VerificationKey:
    """A trusted public key or secret, under the name that its owner gave it."""

    id: str
    algorithm: str
    material: pem.PublicKey | bytes = field(repr=False)


@dataclass(frozen=True)
class KeyPair:
    """New key material as it goes into files; `public` is None for HS256, where one secret does both."""

    algorithm: str
    private: bytes = field(repr=False)
    public: bytes | None


def generate_key(algorithm: str) -> KeyPair:
    """A new key: a random secret (HS256), RSA with 3072 bits (RS256) or EC on P-256 (ES256), unencrypted."""
    _check_algorithm(algorithm)
    if algorithm == "HS256":
        return KeyPair(algorithm, secrets.token_urlsafe(48).encode("ascii") + b"\n", None)
    key: pem.PrivateKey = (
        rsa.generate_private_key(65537, _RSA_BITS)
        if algorithm == "RS256"
        else ec.generate_private_key(ec.SECP256R1())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return KeyPair(algorithm, private, public)


def write_key_pair(pair: KeyPair, folder: Path, name: str) -> tuple[Path, Path | None]:
    """Writes `<name>.pem` (or `.secret`) with mode 0600 and `<name>.pub.pem`; returns the paths.

    Never overwrites and never follows a link: BundleError `key_exists`, and then nothing was written.
    """
    check_key_id(name)
    private = folder / (f"{name}.secret" if pair.public is None else f"{name}.pem")
    if pair.public is None:
        _write_new(private, pair.private, 0o600)
        return private, None
    public = folder / f"{name}.pub.pem"
    _write_new(private, pair.private, 0o600)
    try:
        _write_new(public, pair.public, 0o644)
    except BundleError:
        private.unlink()
        raise
    return private, public


def load_signing_key(path: Path | str, algorithm: str | None = None, key_id: str | None = None) -> SigningKey:
    """The private key (PEM) or HMAC secret in a file. `algorithm` is checked against it, or told from it.

    `key_id` defaults to the file's name without `.pem`, `.pub` and the like. A secret is the file's content
    without its final line breaks.
    """
    path = Path(path)
    name, content = quote(path), _read(path)
    identity = check_key_id(key_id or default_key_id(path))
    material: pem.PrivateKey | bytes
    if pem.looks_like_pem(content):
        material = pem.read_private(content, name)
        found = "RS256" if isinstance(material, rsa.RSAPrivateKey) else "ES256"
    else:
        material, found = _secret(content, name, algorithm), "HS256"
    return SigningKey(identity, _agreed(algorithm, found, name), material)


def load_verification_key(spec: str, algorithm: str | None = None) -> VerificationKey:
    """The trusted key that `[ID=]PATH` names: a public key or certificate (PEM), or an HMAC secret.

    A path with `=` in it takes an ID, or `./`, before it. Other rules as for `load_signing_key`.
    """
    identity, separator, rest = spec.partition("=")
    has_id = bool(separator) and "/" not in identity
    path = Path(rest if has_id else spec)
    name, content = quote(path), _read(path)
    key_id = check_key_id(identity if has_id else default_key_id(path))
    material: pem.PublicKey | bytes
    if pem.looks_like_pem(content):
        material = pem.read_public(content, name)
        found = "RS256" if isinstance(material, rsa.RSAPublicKey) else "ES256"
    else:
        material, found = _secret(content, name, algorithm), "HS256"
    return VerificationKey(key_id, _agreed(algorithm, found, name), material)


def default_key_id(path: Path) -> str:
    """`release` for `release.pem` and `release.pub.pem`."""
    while path.suffix in _SUFFIXES:
        path = path.with_suffix("")
    return path.name


def check_key_id(key_id: str) -> str:
    """`key_id` if it can be one; BundleError `key_id_invalid` otherwise."""
    if not _KEY_ID.fullmatch(key_id):
        raise BundleError("key_id_invalid", f"{quote(key_id)} is not a key id")
    return key_id


def _agreed(wanted: str | None, found: str, name: str) -> str:
    if wanted is not None and wanted != found:
        _check_algorithm(wanted)
        raise BundleError("key_algorithm", f"expected a key for {wanted} in {name}, found one for {found}")
    return found


def _check_algorithm(algorithm: str) -> None:
    if algorithm not in ALGORITHMS:
        raise BundleError("key_algorithm", f"unknown algorithm {quote(algorithm)}")


def _secret(content: bytes, name: str, algorithm: str | None) -> bytes:
    secret = content.rstrip(b"\r\n")
    if pem.looks_like_bare_key(secret):
        # Taken as a secret, a public key would let anyone who has it sign.
        raise BundleError(
            "key_malformed",
            f"expected PEM or an HMAC secret in {name}, found a key in another format",
            "Convert it to PEM, for instance `openssl pkey -pubin -inform DER -in KEY -out KEY.pem`.",
        )
    if algorithm is None and not re.fullmatch(rb"[\x21-\x7e]*", secret):
        raise BundleError(
            "key_malformed",
            f"expected PEM or a one-line HMAC secret in {name}, found neither",
            "If these bytes are the secret, say so by naming the algorithm HS256.",
        )
    if len(secret) < SHORTEST_SECRET:
        found = f"the HMAC secret in {name} has {len(secret)} bytes, expected at least {SHORTEST_SECRET}"
        raise BundleError("key_too_weak", found)
    return secret


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_KEY_FILE + 1)
    except OSError as error:
        raise BundleError("key_unreadable", f"cannot read the key {quote(path)}: {error.strerror}") from None
    if len(content) > _LARGEST_KEY_FILE:
        raise BundleError("key_malformed", f"{quote(path)} is larger than any key")
    return content


def _write_new(path: Path, content: bytes, mode: int) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise BundleError("key_exists", f"the file {quote(path)} exists") from None
    except OSError as error:
        raise BundleError("key_unwritable", f"cannot write {quote(path)}: {error.strerror}") from None
