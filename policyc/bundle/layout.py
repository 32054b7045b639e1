"""Where files are in an artifact, and which names may be there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from policyc.bundle.errors import BundleError, quote

MANIFEST: Final = ".manifest"
SIGNATURES: Final = ".signatures.json"
FORMAT: Final = (
    1  # of this layout and of data.json; raised when a reader of the old one would misread the new
)

_BUNDLE_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,127}")
# Base names and suffixes that OPA gives a meaning anywhere in a bundle. It looks at suffixes for the manifest
# and the signatures ("sub/x.manifest" is obeyed), so we refuse by suffix as well.
_RESERVED_NAMES: Final = frozenset({"data.json", "data.yaml", "data.yml", "patch.json", "plan.json"})
_RESERVED_SUFFIXES: Final = (".rego", ".manifest", "signatures.json", ".wasm")
# Control and format characters (line breaks, terminal escapes, bidi overrides) have no place in a file name.
_UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def root_of(bundle: str) -> str:
    """The one root, a path without slashes at its ends, that the artifact of `bundle` owns."""
    return f"policyc/{bundle}"


def data_path(bundle: str) -> str:
    return f"{root_of(bundle)}/data.json"


def hooks_folder(bundle: str) -> str:
    return f"{root_of(bundle)}/hooks/"


def sources_folder(bundle: str) -> str:
    return f"{root_of(bundle)}/sources/"


def check_bundle_name(name: object) -> str:
    """`name` if it can be a bundle's name; BundleError `bundle_name_invalid` otherwise."""
    if not isinstance(name, str) or not _BUNDLE_NAME.fullmatch(name):
        raise BundleError("bundle_name_invalid", f"{quote(name)} is not a bundle name")
    return name


def check_path(path: str, longest: int) -> str:
    """`path` if it is a relative path of plain names, at most `longest` UTF-8 bytes; else BundleError."""
    base = path.rstrip("/").rpartition("/")[2]
    if base.startswith("._"):
        raise BundleError(
            "appledouble_file", f"{quote(path)} is a macOS AppleDouble file, not part of a bundle"
        )
    problem = _path_problem(path, longest)
    if problem is not None:
        raise BundleError("unsafe_path", f"the path {quote(path)} {problem}")
    return path


def _path_problem(path: str, longest: int) -> str | None:
    if not path:
        return "is empty"
    if len(path.encode("utf-8", "surrogatepass")) > longest:
        return f"is longer than {longest} bytes"
    if "\\" in path:
        return "contains a backslash"
    if any(unicodedata.category(character) in _UNPRINTABLE for character in path):
        return "contains a character that cannot be printed"
    for part in path.split("/"):
        if part in ("", ".", ".."):
            return f"has an empty, `.` or `..` part ({quote(part)})"
    return None


def is_reserved(path: str) -> bool:
    """Whether OPA reads a file of this name, in any folder, as more than an opaque file."""
    # Case is folded because a copy of the files may land on a file system that folds it too.
    base = path.rpartition("/")[2].lower()
    return base in _RESERVED_NAMES or base.endswith(_RESERVED_SUFFIXES)


def check_reserved(paths: Iterable[str]) -> None:
    """BundleError `reserved_name` for a reserved name that is not at the place of the layout."""
    for path in paths:
        expected = path in (MANIFEST, SIGNATURES) or re.fullmatch(r"policyc/[^/]+/data\.json", path)
        if is_reserved(path) and not expected:
            raise BundleError("reserved_name", f"the file {quote(path)} has a name that OPA gives a meaning")


def check_layout(paths: Iterable[str], bundle: str) -> None:
    """BundleError `unexpected_file` for a file that is at no place of the layout."""
    folders = (hooks_folder(bundle), sources_folder(bundle))
    singles = (MANIFEST, SIGNATURES, data_path(bundle))
    for path in paths:
        if path not in singles and not path.startswith(folders):
            raise BundleError("unexpected_file", f"the file {quote(path)} does not belong in an artifact")
