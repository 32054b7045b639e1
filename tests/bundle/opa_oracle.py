"""OPA's verification of a signed bundle, written a second time from its description.

It shares nothing with the code under test: own tokenizer instead of a JSON parser, the primitives of
`cryptography` instead of a JWT library, tarfile instead of our reader.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

from .crafting import unpack

_TOKEN = re.compile(
    r'[ \t\r\n]*("(?:[^"\\]|\\.)*"'
    r"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
    r"|true|false|null|[][{}:,])[ \t\r\n]*"
)
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def canonical(text: str) -> str:
    """The text that OPA hashes for a structured file."""
    tokens = _TOKEN.findall(text)
    value, rest = _value(tokens)
    assert not rest
    return value


def file_hash(name: str, content: bytes) -> str:
    """The hash that OPA compares with the one in the signature."""
    if name.rsplit("/", 1)[-1] in ("data.json", ".manifest"):
        content = canonical(content.decode("utf-8")).encode("utf-8")
    return hashlib.sha256(content).hexdigest()


def verify(artifact: bytes, algorithm: str, key: Any) -> dict[str, Any]:
    """The payload of the signature if OPA would accept it; AssertionError or InvalidSignature if not."""
    files = unpack(artifact)
    document = json.loads(files.pop(".signatures.json"))
    assert document.get("plugin", "_default") == "_default"
    (token,) = document["signatures"]
    signed, _, signature = token.rpartition(".")
    _check_signature(algorithm, key, signed.encode("ascii"), _decode(signature))
    payload: dict[str, Any] = json.loads(_decode(signed.split(".")[1]))
    assert payload.get("scope", "") == ""
    listed = {file["name"]: file for file in payload["files"]}
    assert listed.keys() == files.keys()
    for name, content in files.items():
        assert listed[name]["algorithm"] == "SHA-256"
        assert listed[name]["hash"] == file_hash(name, content)
    return payload


def _check_signature(algorithm: str, key: Any, signed: bytes, signature: bytes) -> None:
    if algorithm == "HS256":
        if not hmac.compare_digest(hmac.digest(key, signed, "sha256"), signature):
            raise InvalidSignature
    elif algorithm == "RS256":
        assert isinstance(key, rsa.RSAPublicKey)
        key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
    else:
        assert isinstance(key, ec.EllipticCurvePublicKey)
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        key.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))


def _decode(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _value(tokens: list[str]) -> tuple[str, list[str]]:
    first, rest = tokens[0], tokens[1:]
    if first == "{":
        return _object(rest)
    if first == "[":
        return _array(rest)
    return (_string(first) if first.startswith('"') else first), rest


def _object(rest: list[str]) -> tuple[str, list[str]]:
    members: dict[bytes, str] = {}
    while rest[0] != "}":
        if rest[0] == ",":
            rest = rest[1:]
        key = _string(rest[0])
        value, rest = _value(rest[2:])
        members[json.loads(key).encode("utf-8")] = f"{key}:{value}"
    return "{" + ",".join(members[key] for key in sorted(members)) + "}", rest[1:]


def _array(rest: list[str]) -> tuple[str, list[str]]:
    values = []
    while rest[0] != "]":
        if rest[0] == ",":
            rest = rest[1:]
        value, rest = _value(rest)
        values.append(value)
    return "[" + ",".join(values) + "]", rest[1:]


def _string(token: str) -> str:
    return '"' + "".join(map(_character, json.loads(token))) + '"'


def _character(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if ord(character) < 0x20 or character in "\u2028\u2029":
        return f"\\u{ord(character):04x}"
    return character
