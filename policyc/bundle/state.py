"""What was served, across restarts: for each bundle the highest version, so that an older one is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from policyc.bundle import canonical
from policyc.bundle.artifact import Artifact
from policyc.bundle.errors import BundleError, quote
from policyc.bundle.layout import check_bundle_name
from policyc.bundle.manifest import check_revision
from policyc.bundle.signatures import check_version
from policyc.files import replace_files

_FORMAT: Final = 1
_LARGEST: Final = 1024 * 1024
_HEX_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Served:
    """The highest version of one bundle that was served, and what it was."""

    version: int
    digest: str
    revision: str


@dataclass(frozen=True)
class Record:
    """What was served, by bundle."""

    bundles: Mapping[str, Served] = field(default_factory=dict)


def admit(record: Record, artifact: Artifact) -> Record:
    """The record once `artifact` is served; the same object where it says so already.

    BundleError: `not_verified` (no trusted key vouches for the version), `version_too_old` (a higher version
    was served), `version_conflict` (this version was served with other content).
    """
    if artifact.version is None:
        raise BundleError("not_verified", f"the artifact of {quote(artifact.bundle)} has no verified version")
    new = Served(artifact.version, artifact.digest, artifact.revision)
    old = record.bundles.get(artifact.bundle)
    if old is not None and new.version < old.version:
        found = (
            f"version {new.version} of {quote(artifact.bundle)} is older than {old.version}, which was served"
        )
        raise BundleError("version_too_old", found)
    if old is not None and new.version == old.version:
        if new.digest != old.digest:
            found = f"version {new.version} of {quote(artifact.bundle)} was served with other content"
            raise BundleError("version_conflict", f"{found}: expected {old.digest}, found {new.digest}")
        return record
    return Record(MappingProxyType({**record.bundles, artifact.bundle: new}))


def load_record(path: Path) -> Record:
    """The record in a file, an empty one where there is no file.

    BundleError `state_damaged` or `state_unreadable`: an unknown past must not be taken for an empty one.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return Record()
    except OSError as error:
        raise BundleError("state_unreadable", f"cannot read {quote(path)}: {error.strerror}") from None
    try:
        if len(content) > _LARGEST:
            raise ValueError("it is larger than any record")
        return _read_document(canonical.parse(path.name, content))
    except (BundleError, ValueError) as error:
        reason = error.message if isinstance(error, BundleError) else str(error)
        found = f"the record of served versions in {quote(path)} is damaged: {reason}"
        raise BundleError("state_damaged", found) from None


def save_record(path: Path, record: Record) -> None:
    """Replaces the file at once and durably: after a crash it is the old record or the new one.

    One process writes a record; a second one with the same file could put back a lower version.
    """
    document = {
        "format": _FORMAT,
        "bundles": {bundle: asdict(served) for bundle, served in record.bundles.items()},
    }
    try:
        replace_files({path: canonical.dump(document) + b"\n"}, mode=0o600)
    except OSError as error:
        raise BundleError("state_unwritable", f"cannot write {quote(path)}: {error.strerror}") from None


def _read_document(document: object) -> Record:
    members = _members(document, {"format", "bundles"})
    if members["format"] != _FORMAT or not isinstance(members["bundles"], dict):
        raise ValueError(f"expected format {_FORMAT} and an object of bundles")
    bundles = {
        check_bundle_name(bundle): _read_served(served) for bundle, served in members["bundles"].items()
    }
    return Record(MappingProxyType(bundles))


def _read_served(document: object) -> Served:
    members = _members(document, {"version", "digest", "revision"})
    digest = members["digest"]
    if not isinstance(digest, str) or not _HEX_DIGEST.fullmatch(digest):
        raise ValueError("expected a hex digest")
    return Served(check_version(members["version"]), digest, check_revision(members["revision"]))


def _members(document: object, keys: set[str]) -> dict[str, Any]:
    if not isinstance(document, dict) or document.keys() != keys:
        raise ValueError(f"expected an object of {', '.join(sorted(keys))}")
    return document
