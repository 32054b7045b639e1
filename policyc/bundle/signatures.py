"""`.signatures.json`: one JWT over the hashes of all other files, in OPA's format.

Stricter than OPA where OPA ignores things: the token's algorithm must be that of the trusted key, and claims
and header fields that we do not enforce (`scope`, `exp`, `crit`, ...) are refused instead of skipped.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import jwt

from policyc.bundle import canonical
from policyc.bundle.errors import BundleError, quote
from policyc.bundle.keys import ALGORITHMS, SigningKey, VerificationKey
from policyc.bundle.layout import SIGNATURES

HIGHEST_VERSION: Final = 2**53 - 1  # what every JSON reader keeps exactly
# The one file that is parsed before anything is trusted has a bound of its own: enough for 10,000 long paths.
LARGEST: Final = 8 * 1024 * 1024
_HASH: Final = "SHA-256"
_HEADER: Final = frozenset({"alg", "typ", "kid"})
# `iat`, `iss` and the deprecated `keyid` say who and when: `opa sign` may write them, nothing hangs on them.
_CLAIMS: Final = frozenset({"files", "version", "iat", "iss", "keyid", "scope"})
_SEGMENT: Final = re.compile(r"[A-Za-z0-9_-]+")
_HEX_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_PLUGINS: Final = (None, "", "_default")


@dataclass(frozen=True)
class Signature:
    """Who signed: the id of the trusted key where `verified`, else only what the token claims."""

    key_id: str | None
    algorithm: str
    version: int
    verified: bool


@dataclass(frozen=True)
class Token:
    """A JWT taken apart; nothing in it is to be believed before `verify`."""

    encoded: str
    algorithm: str
    key_id: str | None
    version: int
    files: Mapping[str, str]


def sign(hashes: Mapping[str, str], key: SigningKey, version: int) -> bytes:
    """The bytes of `.signatures.json` over the hash of each file."""
    listed = [{"name": path, "hash": hashes[path], "algorithm": _HASH} for path in sorted(hashes)]
    payload = canonical.dump({"files": listed, "version": check_version(version)})
    try:
        token = jwt.PyJWS().encode(
            payload, key.material, key.algorithm, headers={"kid": key.id, "typ": "JWT"}
        )
    except jwt.PyJWTError as error:
        raise BundleError("key_malformed", f"the key {quote(key.id)} cannot sign ({error})") from None
    return _bounded(canonical.dump({"signatures": [token]}))


def check_version(version: object) -> int:
    """`version` if it can be one; BundleError `version_invalid` otherwise."""
    if type(version) is not int or not 0 <= version <= HIGHEST_VERSION:
        raise BundleError("version_invalid", f"expected an integer version, found {quote(version)}")
    return version


def read_token(content: bytes) -> Token:
    """The one token of `.signatures.json`, checked for form only; BundleError otherwise."""
    encoded = _only_token(canonical.parse(SIGNATURES, _bounded(content)))
    segments = encoded.split(".")
    if len(segments) != 3 or not all(map(_SEGMENT.fullmatch, segments)):
        raise BundleError("signature_malformed", "expected a JWT of three base64url parts")
    header = _segment(segments[0], "header")
    payload = _segment(segments[1], "payload")
    return Token(
        encoded=encoded,
        algorithm=_algorithm(header),
        key_id=_key_id(header, payload),
        version=_version(payload),
        files=_files(payload),
    )


def verify(token: Token, trusted: Sequence[VerificationKey]) -> Signature:
    """The signature, made by one of `trusted`; BundleError `algorithm_not_trusted` or `signature_invalid`.

    A key whose id is the token's `kid` is tried first, then all others: `kid` is a hint, trust is the list.
    """
    candidates = [key for key in trusted if key.algorithm == token.algorithm]
    names = ", ".join(f"{quote(key.id)} ({key.algorithm})" for key in trusted)
    if not candidates:
        found = f"the signature claims {token.algorithm}, the trusted keys are {names}"
        raise BundleError("algorithm_not_trusted", found)
    for key in sorted(candidates, key=lambda candidate: candidate.id != token.key_id):
        if _made_by(token, key):
            return Signature(key.id, key.algorithm, token.version, verified=True)
    claimed = "no key id" if token.key_id is None else f"key id {quote(token.key_id)}"
    raise BundleError(
        "signature_invalid", f"the signature ({claimed}) is by none of the trusted keys {names}"
    )


def check_files(token: Token, hashes: Mapping[str, str]) -> None:
    """BundleError unless the token lists exactly these files with these hashes."""
    for path in sorted(hashes):
        if path not in token.files:
            raise BundleError("file_not_signed", f"the file {quote(path)} is not listed in the signature")
    for path in sorted(token.files):
        if path not in hashes:
            raise BundleError("file_missing", f"the file {quote(path)} is signed but not in the artifact")
        if token.files[path] != hashes[path]:
            found = f"the file {quote(path)} was changed: signed {token.files[path]}, found {hashes[path]}"
            raise BundleError("file_changed", found)


def _made_by(token: Token, key: VerificationKey) -> bool:
    try:
        # The list holds the key's own algorithm, so the header cannot choose another one.
        jwt.PyJWS().decode(token.encoded, key.material, algorithms=[key.algorithm])
    except jwt.PyJWTError:
        return False
    return True


def _bounded(content: bytes) -> bytes:
    if len(content) > LARGEST:
        raise BundleError("too_large", f"{SIGNATURES} has {len(content):,} bytes, the limit is {LARGEST:,}")
    return content


def _only_token(document: object) -> str:
    if not isinstance(document, dict):
        raise BundleError("signature_malformed", f"expected {SIGNATURES} to hold an object")
    unknown = sorted(set(document) - {"signatures", "plugin"})
    if unknown or document.get("plugin") not in _PLUGINS:
        found = f"the key {quote(unknown[0])}" if unknown else f"the plugin {quote(document['plugin'])}"
        raise BundleError("signature_malformed", f"{SIGNATURES} has {found}, which is not known here")
    tokens = document.get("signatures")
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise BundleError(
            "signature_malformed", f"expected `signatures` in {SIGNATURES} to be a list of one JWT"
        )
    if not tokens:
        raise BundleError("signature_missing", f"{SIGNATURES} holds no JWT, expected exactly one")
    if len(tokens) > 1:
        raise BundleError("signature_several", f"{SIGNATURES} holds {len(tokens)} JWTs, expected exactly one")
    return str(tokens[0])


def _segment(encoded: str, what: str) -> dict[str, Any]:
    try:
        content = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except (binascii.Error, ValueError):
        raise BundleError("signature_malformed", f"the JWT {what} is not base64url") from None
    document = canonical.parse(f"JWT {what}", content)
    if not isinstance(document, dict):
        raise BundleError("signature_malformed", f"expected the JWT {what} to be an object")
    return document


def _algorithm(header: Mapping[str, Any]) -> str:
    unknown = sorted(set(header) - _HEADER)
    if unknown:
        raise BundleError(
            "claim_unsupported", f"the JWT header has {quote(unknown[0])}, which is not enforced here"
        )
    if header.get("typ", "JWT") != "JWT":
        raise BundleError("signature_malformed", f"expected the JWT type JWT, found {quote(header['typ'])}")
    algorithm = header.get("alg")
    if algorithm not in ALGORITHMS:
        expected = ", ".join(ALGORITHMS)
        found = f"the signature claims {quote(algorithm)}, expected one of {expected}"
        raise BundleError("algorithm_not_trusted", found)
    return str(algorithm)


def _key_id(header: Mapping[str, Any], payload: Mapping[str, Any]) -> str | None:
    key_id = header.get("kid", payload.get("keyid"))
    if key_id is not None and not isinstance(key_id, str):
        raise BundleError("signature_malformed", "expected the key id in the JWT to be a string")
    return key_id


def _version(payload: Mapping[str, Any]) -> int:
    unknown = sorted(set(payload) - _CLAIMS)
    if unknown:
        raise BundleError(
            "claim_unsupported", f"the JWT claims {quote(unknown[0])}, which is not enforced here"
        )
    if payload.get("scope", "") != "":
        scope = quote(payload["scope"])
        raise BundleError("scope_mismatch", f"expected a signature without a scope, found the scope {scope}")
    if "version" not in payload:
        found = "the signature carries no `version`, without which a roll-back would go unseen"
        raise BundleError(
            "version_invalid", found, "Sign with `policyc sign`, or give `opa sign` a claims file."
        )
    return check_version(payload["version"])


def _files(payload: Mapping[str, Any]) -> dict[str, str]:
    listed = payload.get("files")
    if not isinstance(listed, list):
        raise BundleError("signature_malformed", "expected the JWT to list `files`")
    files: dict[str, str] = {}
    for entry in listed:
        if not isinstance(entry, dict) or set(entry) != {"name", "hash", "algorithm"}:
            raise BundleError(
                "signature_malformed", "expected name, hash and algorithm of each file in the JWT"
            )
        name, digest = entry["name"], entry["hash"]
        if entry["algorithm"] != _HASH:
            found = quote(entry["algorithm"])
            raise BundleError(
                "signature_malformed", f"expected the hash algorithm {_HASH} in the JWT, found {found}"
            )
        if not isinstance(name, str) or not isinstance(digest, str) or not _HEX_DIGEST.fullmatch(digest):
            raise BundleError(
                "signature_malformed", "expected a name and a lower-case hex SHA-256 of each file in the JWT"
            )
        if name in files:
            raise BundleError("signature_malformed", f"the JWT lists the file {quote(name)} twice")
        files[name] = digest
    return files
