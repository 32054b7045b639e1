"""Build, sign and read an artifact: values and bytes in, bytes and values out.

data, sources, hooks --build_artifact--> bytes --sign_artifact--> bytes --read_artifact--> Artifact
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from policyc.bundle import canonical, layout, signatures
from policyc.bundle.archive import DEFAULT_LIMITS, Limits, read_archive, read_archive_file, write_archive
from policyc.bundle.canonical import Contents
from policyc.bundle.errors import BundleError, quote
from policyc.bundle.keys import SigningKey, VerificationKey
from policyc.bundle.layout import FORMAT, MANIFEST, SIGNATURES
from policyc.bundle.manifest import Manifest, listing_digest, read_manifest, revision_of, write_manifest
from policyc.bundle.signatures import Signature, Token

__all__ = [
    "Artifact",
    "Limits",
    "Manifest",
    "Signature",
    "build_artifact",
    "read_archive_file",
    "read_artifact",
    "revision_of_content",
    "sign_artifact",
]

_NOTHING: Final[Mapping[str, bytes]] = MappingProxyType({})


@dataclass(frozen=True)
class Artifact:
    """An artifact that was read and found sound.

    `digest` is the hex SHA-256 over all content but the signature: equal for the same content however it was
    compressed and whoever signed it. `sources` and `hooks` are keyed by their path in their folder, `files`
    by the path in the archive.
    """

    manifest: Manifest
    data: dict[str, Any]
    sources: Mapping[str, bytes]
    hooks: Mapping[str, bytes]
    files: Mapping[str, bytes]
    digest: str
    signature: Signature | None

    @property
    def bundle(self) -> str:
        return self.manifest.bundle

    @property
    def revision(self) -> str:
        return self.manifest.revision

    @property
    def version(self) -> int | None:
        """The signed version; None where no trusted key vouches for it."""
        return self.signature.version if self.signature is not None and self.signature.verified else None


def build_artifact(
    data: Mapping[str, Any],
    sources: Mapping[str, bytes],
    hooks: Mapping[str, bytes] = _NOTHING,
    *,
    revision: str | None = None,
) -> bytes:
    """An unsigned artifact; the same input gives the same bytes.

    `data` is data.json (its `bundle` names the root), `sources` and `hooks` map a relative path to content.
    BundleError: `reserved_name`, `unsafe_path`, `data_invalid`, `bundle_name_invalid`, `revision_invalid`,
    `too_large`, `too_many_entries`.
    """
    files = _content(data, sources, hooks)
    bundle = layout.check_bundle_name(data.get("bundle"))
    files[MANIFEST] = write_manifest(bundle, _revision(files) if revision is None else revision)
    return write_archive(files)


def revision_of_content(
    data: Mapping[str, Any], sources: Mapping[str, bytes], hooks: Mapping[str, bytes] = _NOTHING
) -> str:
    """The revision that `build_artifact` gives to this content by itself. BundleError as from there."""
    return _revision(_content(data, sources, hooks))


def sign_artifact(artifact: bytes, key: SigningKey, *, version: int) -> bytes:
    """`artifact` with a signature by `key` in place of any it had. BundleError as from `read_artifact`.

    The old signature is not looked at: what was changed becomes signed, so sign what you built or verified.
    """
    files = read_archive(artifact)
    files.pop(SIGNATURES, None)
    layout.check_reserved(files)
    contents = canonical.read_contents(files)
    _interpret(contents, None)
    return write_archive({**files, SIGNATURES: signatures.sign(contents.hashes, key, version)})


def read_artifact(
    data: bytes, *, trusted: Sequence[VerificationKey] = (), limits: Limits = DEFAULT_LIMITS
) -> Artifact:
    """The artifact in `data`, whoever may have written it; BundleError for everything that is not in order.

    With `trusted` keys a signature by one of them is required. Without, a signature that is there must still
    agree with the files (which finds damage, not malice), and `signature.verified` is False.
    """
    files = read_archive(data, limits)
    layout.check_reserved(files)
    # The token first: until it is verified, no other file is even parsed.
    token = _read_token(files, trusted)
    signature = signatures.verify(token, trusted) if token and trusted else None
    contents = canonical.read_contents(files)
    if token:
        signatures.check_files(token, contents.hashes)
        signature = signature or Signature(token.key_id, token.algorithm, token.version, verified=False)
    return _interpret(contents, signature)


def _content(
    data: Mapping[str, Any], sources: Mapping[str, bytes], hooks: Mapping[str, bytes]
) -> dict[str, bytes]:
    bundle = layout.check_bundle_name(data.get("bundle"))
    _check_format(data)
    files = {layout.data_path(bundle): _dump(data)}
    files.update({layout.sources_folder(bundle) + path: content for path, content in sources.items()})
    files.update({layout.hooks_folder(bundle) + path: content for path, content in hooks.items()})
    layout.check_reserved(files)
    return files


def _revision(files: Mapping[str, bytes]) -> str:
    # What `_dump` writes is its own canonical text, so the hash of its bytes is the one that gets signed.
    return revision_of({path: canonical.sha256(content) for path, content in files.items()})


def _read_token(files: Mapping[str, bytes], trusted: Sequence[VerificationKey]) -> Token | None:
    if SIGNATURES in files:
        return signatures.read_token(files[SIGNATURES])
    if trusted:
        names = ", ".join(quote(key.id) for key in trusted)
        raise BundleError(
            "signature_missing", f"the artifact is not signed, expected a signature by one of {names}"
        )
    return None


def _interpret(contents: Contents, signature: Signature | None) -> Artifact:
    files = contents.files
    if MANIFEST not in files:
        raise BundleError("manifest_missing", f"the artifact has no {MANIFEST}")
    manifest = read_manifest(contents.values[MANIFEST])
    layout.check_layout(files, manifest.bundle)
    return Artifact(
        manifest=manifest,
        data=_read_data(contents, manifest.bundle),
        sources=_below(files, layout.sources_folder(manifest.bundle)),
        hooks=_below(files, layout.hooks_folder(manifest.bundle)),
        files=MappingProxyType(dict(files)),
        digest=listing_digest(contents.hashes),
        signature=signature,
    )


def _read_data(contents: Contents, bundle: str) -> dict[str, Any]:
    path = layout.data_path(bundle)
    if path not in contents.files:
        raise BundleError("data_missing", f"the artifact has no {path}")
    data = contents.values[path]
    if not isinstance(data, dict):
        raise BundleError("data_invalid", f"expected {path} to hold an object")
    _check_format(data)
    if data.get("bundle") != bundle:
        found = f"the manifest is of the bundle {quote(bundle)}, {path} of {quote(data.get('bundle'))}"
        raise BundleError("data_invalid", found)
    return data


def _check_format(data: Mapping[str, Any]) -> None:
    found = data.get("format")
    if type(found) is not int or found != FORMAT:
        raise BundleError("format_unsupported", f"expected data.json format {FORMAT}, found {quote(found)}")


def _dump(data: Mapping[str, Any]) -> bytes:
    try:
        return canonical.dump(data)
    except (TypeError, ValueError, RecursionError) as error:
        raise BundleError("data_invalid", f"the compiled data is not JSON ({error})") from None


def _below(files: Mapping[str, bytes], folder: str) -> Mapping[str, bytes]:
    return MappingProxyType(
        {path.removeprefix(folder): content for path, content in files.items() if path.startswith(folder)}
    )
