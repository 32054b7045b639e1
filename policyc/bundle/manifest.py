"""The `.manifest` of an artifact: written, read strictly, and the revision that it carries.

The release of policyc that wrote an artifact is not recorded: the same sources must give the same bytes from
any release that compiles them to the same plans. What a reader needs to know is the format's number.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from policyc.bundle import canonical
from policyc.bundle.errors import BundleError, quote
from policyc.bundle.layout import FORMAT, MANIFEST, SIGNATURES, check_bundle_name, root_of

_KEYS: Final = frozenset({"revision", "roots", "rego_version", "metadata"})
_OURS: Final = "policyc"  # our part of `metadata`; the rest of it is free, as in OPA
_REGO_VERSION: Final = 1
_LONGEST_REVISION: Final = 256


@dataclass(frozen=True)
class Manifest:
    """What `.manifest` says. `metadata` is what others put beside our own entry."""

    bundle: str
    revision: str
    format: int = FORMAT
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def roots(self) -> tuple[str]:
        return (root_of(self.bundle),)


def write_manifest(bundle: str, revision: str) -> bytes:
    """The bytes of `.manifest`; BundleError `bundle_name_invalid` or `revision_invalid`."""
    return canonical.dump(
        {
            "revision": check_revision(revision),
            "roots": [root_of(check_bundle_name(bundle))],
            "rego_version": _REGO_VERSION,
            "metadata": {_OURS: {"format": FORMAT}},
        }
    )


def read_manifest(value: Any) -> Manifest:
    """The manifest that is the JSON `value`; BundleError where it is not exactly one of ours."""
    document = _object(value, "the manifest")
    _known_keys(document, _KEYS, "the manifest")
    metadata = dict(_object(document.get("metadata"), "`metadata`"))
    ours = _object(metadata.pop(_OURS, None), f"`metadata.{_OURS}`")
    # The format comes first: a later one may well have other keys and roots.
    if not _is_integer(ours.get("format"), FORMAT):
        found = quote(ours.get("format"))
        raise BundleError("format_unsupported", f"expected artifact format {FORMAT}, found {found}")
    _known_keys(ours, {"format"}, f"`metadata.{_OURS}`")
    if not _is_integer(document.get("rego_version"), _REGO_VERSION):
        raise BundleError("manifest_invalid", f"expected `rego_version` {_REGO_VERSION} in the manifest")
    bundle = _bundle_of(document.get("roots"))
    return Manifest(bundle, check_revision(document.get("revision")), FORMAT, MappingProxyType(metadata))


def check_revision(revision: object) -> str:
    """`revision` if it is text that can stand in a log line; BundleError `revision_invalid` otherwise."""
    if not isinstance(revision, str) or not 0 < len(revision) <= _LONGEST_REVISION:
        raise BundleError("revision_invalid", f"expected a revision of 1 to {_LONGEST_REVISION} characters")
    if any(unicodedata.category(character)[0] == "C" for character in revision):
        raise BundleError(
            "revision_invalid", f"the revision {quote(revision)} has characters that cannot be printed"
        )
    return revision


def revision_of(hashes: Mapping[str, str]) -> str:
    """The default revision: the digest of all files but the manifest and the signatures."""
    return listing_digest({path: digest for path, digest in hashes.items() if path != MANIFEST})


def listing_digest(hashes: Mapping[str, str]) -> str:
    """SHA-256 over `hash, two spaces, path, line feed` for each file but the signatures, sorted by path."""
    lines = [f"{hashes[path]}  {path}\n" for path in sorted(hashes) if path != SIGNATURES]
    return canonical.sha256("".join(lines).encode("utf-8"))


def _bundle_of(roots: object) -> str:
    if isinstance(roots, list) and len(roots) == 1 and isinstance(roots[0], str):
        folder, slash, bundle = roots[0].partition("/")
        if folder == "policyc" and slash:
            return check_bundle_name(bundle)
    found = "[" + ", ".join(map(quote, roots[:5])) + "]" if isinstance(roots, list) else quote(roots)
    raise BundleError("roots_unexpected", f'expected the roots ["policyc/<bundle>"], found {found}')


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BundleError("manifest_invalid", f"expected {what} to be an object")
    return value


def _known_keys(document: Mapping[str, Any], known: frozenset[str] | set[str], what: str) -> None:
    unknown = sorted(set(document) - known)
    if unknown:
        expected = ", ".join(sorted(known))
        raise BundleError(
            "manifest_unknown_key", f"{what} has the key {quote(unknown[0])}; known are {expected}"
        )


def _is_integer(value: object, expected: int) -> bool:
    return type(value) is int and value == expected
