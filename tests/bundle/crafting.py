"""Archives made by hand, with other code than the one under test: the shapes that no honest tool writes."""

from __future__ import annotations

import base64
import gzip
import hmac
import io
import json
import tarfile
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

from policyc.bundle.errors import BundleError

END = bytes(1024)


def header(
    name: bytes,
    size: int = 0,
    kind: bytes = b"0",
    *,
    magic: bytes = b"ustar\x0000",
    prefix: bytes = b"",
    link: bytes = b"",
    size_field: bytes | None = None,
) -> bytes:
    """One tar header with a right checksum, whatever it says."""
    block = bytearray(512)
    block[0 : len(name)] = name
    block[100:108] = b"0000644\0"
    block[124:136] = size_field if size_field is not None else b"%011o\0" % size
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[157 : 157 + len(link)] = link
    block[257:265] = magic
    block[345 : 345 + len(prefix)] = prefix
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def entry(name: str, content: bytes = b"", kind: bytes = b"0", **fields: Any) -> bytes:
    """A header and its content, padded."""
    return header(name.encode(), len(content), kind, **fields) + content + bytes(-len(content) % 512)


def pax(*records: tuple[str, str]) -> bytes:
    """A pax header for the next entry."""
    content = b""
    for key, value in records:
        body = f" {key}={value}\n".encode()
        length = len(body) + 1
        while len(str(length)) + len(body) != length:
            length += 1
        content += str(length).encode() + body
    return entry("PaxHeader/x", content, b"x")


def packed(*entries: bytes, end: bytes = END) -> bytes:
    """The entries as a gzip member."""
    return gzip.compress(b"".join(entries) + end, mtime=0)


def unpack(artifact: bytes) -> dict[str, bytes]:
    """The files of an honest artifact, read by the standard library."""
    files = {}
    with tarfile.open(fileobj=io.BytesIO(artifact), mode="r:gz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            files[member.name] = content.read()
    return files


def pack(files: Mapping[str, bytes]) -> bytes:
    """An archive of the files, written by the standard library in the order given."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def edited(artifact: bytes, changes: Mapping[str, bytes | None]) -> bytes:
    """The artifact with files replaced, added or (None) removed, and its signature left as it was."""
    files: dict[str, bytes | None] = {**unpack(artifact), **changes}
    return pack({name: content for name, content in files.items() if content is not None})


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def jwt_parts(artifact: bytes) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Header, payload and encoded signature of the artifact's JWT."""
    token = json.loads(unpack(artifact)[".signatures.json"])["signatures"][0]
    encoded_header, encoded_payload, signature = token.split(".")
    header, payload = (
        json.loads(base64.urlsafe_b64decode(part + "==")) for part in (encoded_header, encoded_payload)
    )
    return header, payload, signature


def refusal(error: BaseException) -> str:
    """The code of a BundleError, after a look at its text: one line, no raw control characters."""
    assert isinstance(error, BundleError)
    assert error.message
    assert error.hint
    assert str(error).isprintable()
    return error.code


def jwt_by_hand(header: object, payload: object, key: object) -> str:
    """A JWS of any header and payload: HMAC for bytes, ES256 or RS256 for private keys, unsigned for None."""
    signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, payload))
    return f"{signed}.{base64url(_signature(signed.encode(), key))}"


def _signature(signed: bytes, key: object) -> bytes:
    if isinstance(key, bytes):
        return hmac.digest(key, signed, "sha256")
    if isinstance(key, rsa.RSAPrivateKey):
        return key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
    if isinstance(key, ec.EllipticCurvePrivateKey):
        r, s = utils.decode_dss_signature(key.sign(signed, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return b""


def resigned(
    artifact: bytes, key: object, *, header: Mapping[str, Any] | None = None, **claims: Any
) -> bytes:
    """The artifact with a JWT made by hand: header fields and claims as given, None removes one."""
    old_header, old_payload, _ = jwt_parts(artifact)
    new_header = {
        name: value for name, value in {**old_header, **(header or {})}.items() if value is not None
    }
    new_payload = {name: value for name, value in {**old_payload, **claims}.items() if value is not None}
    token = jwt_by_hand(new_header, new_payload, key)
    return edited(artifact, {".signatures.json": json.dumps({"signatures": [token]}).encode()})
