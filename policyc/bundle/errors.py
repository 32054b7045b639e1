"""The one error of this package, and the table of its codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# code -> what to do next, where the place that raises has nothing better to say. Codes are stable: the
# server's status, the command line's JSON and docs/artifact.md name them.
CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # The archive as bytes.
        "file_unreadable": "Check the path and its permissions.",
        "not_gzip": "An artifact is a gzip-compressed tar: write it with `policyc build`.",
        "archive_truncated": "The file is cut short: copy or download it again.",
        "archive_damaged": "Build it again, or copy it again from where it was built.",
        "trailing_data": "Something appended to the file: build it again, and do not concatenate archives.",
        "too_large": "Make the bundle smaller, or raise the limit if this size is expected.",
        "too_many_entries": "Make the bundle smaller, or raise the limit if this number is expected.",
        "archive_empty": "An empty artifact would remove every rule: build one that holds a policy.",
        "unsupported_entry": "Artifacts hold plain files only: write them with `policyc build`.",
        "unsafe_path": "Use relative paths of plain names; list the files to tar by name, not as `.`.",
        "duplicate_entry": "A second copy could shadow the first: build the artifact again.",
        "appledouble_file": "On macOS, tar adds such files: repack with COPYFILE_DISABLE=1 set.",
        # The files in it.
        "reserved_name": "OPA would read a file of this name as data, rego or manifest: rename it.",
        "unexpected_file": "An artifact holds data, hooks and sources under policyc/<bundle>/, nothing else.",
        "json_invalid": "Build the artifact again; do not edit its JSON by hand.",
        "duplicate_key": "Readers disagree on which of two equal keys counts: remove one.",
        "manifest_missing": "Write artifacts with `policyc build`.",
        "manifest_invalid": "Write artifacts with `policyc build`.",
        "manifest_unknown_key": "A misspelt key would be ignored without a word by OPA: remove it.",
        "format_unsupported": "Use the policyc release that built it, or build it again with this one.",
        "roots_unexpected": "An artifact owns the one root of its bundle: write it with `policyc build`.",
        "data_missing": "Write artifacts with `policyc build`.",
        "data_invalid": "Build the artifact again from its sources.",
        "bundle_name_invalid": "Use a lower-case letter, then lower-case letters, digits or `_`.",
        "revision_invalid": "Give 1 to 256 printable characters, or leave the revision out.",
        # The signature.
        "signature_missing": "Sign it with `policyc sign`: with a trusted key nothing unsigned is accepted.",
        "signature_malformed": "Sign the artifact again with `policyc sign`.",
        "signature_several": "Sign once: signing again replaces the signature. To rotate keys, trust both.",
        "signature_invalid": "Another key signed it, or it was altered: check which keys are trusted.",
        "algorithm_not_trusted": "A key has one algorithm: sign with a trusted key, or trust the right one.",
        "scope_mismatch": "Sign without a scope.",
        "claim_unsupported": "What is not enforced is refused: sign again without it.",
        "file_not_signed": "Build and sign again; do not add files to a signed artifact.",
        "file_missing": "Build and sign again; do not remove files from a signed artifact.",
        "file_changed": "Build and sign again; do not edit files of a signed artifact.",
        # Keys.
        "key_unreadable": "Check the path and its permissions.",
        "key_malformed": "Give a PEM file, or an HMAC secret on one line; `policyc keygen` writes both.",
        "key_encrypted": "Decrypt it first, for instance `openssl pkey -in KEY -out PLAIN` (mode 0600).",
        "key_wrong_kind": "Sign with the private key, verify with the public key or certificate.",
        "key_too_weak": "Make a new key with `policyc keygen`.",
        "key_algorithm": "Supported: HS256 (secret), RS256 (RSA), ES256 (EC on P-256).",
        "key_id_invalid": "A key id is 1 to 128 letters, digits, `.`, `_` or `-`.",
        "key_exists": "A key is never overwritten: choose another name, or move the old file away.",
        "key_unwritable": "Check the folder and its permissions.",
        # Versions and the record of what was served.
        "version_invalid": "A version is an integer from 0 to 2^53 - 1, for instance seconds since 1970.",
        "not_verified": "Configure the verification key: only a verified version is worth remembering.",
        "version_too_old": "To roll back, sign the old content again with a higher version.",
        "version_conflict": "Sign the new content with a higher version.",
        "state_damaged": "Restore it, or delete it to reset: the next signed version is then taken as it is.",
        "state_unreadable": "Check the path and its permissions: without it a roll-back would go unseen.",
        "state_unwritable": "Check the path, its permissions and the free space.",
    }
)


class BundleError(Exception):
    """An artifact, key or record that is refused.

    `code` is a key of `CODES`, `message` says what was expected and what was found, `hint` what to do next.
    Names that come out of an archive are quoted and shortened, so the text is one line and safe to print.
    """

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        self.code = code
        self.message = message
        self.hint = CODES[code] if hint is None else hint
        super().__init__(code, message, self.hint)

    def __str__(self) -> str:
        return f"{self.message}. {self.hint}"


def quote(value: object, limit: int = 120) -> str:
    """A value from outside for a message: one line of ASCII cut to `limit` characters; text is quoted.

    Containers are only named: they may be nested so deeply that showing them would fail.
    """
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    is_text = not isinstance(value, int | float | None)
    text = str(value) if is_text else json.dumps(value)
    text = text if len(text) <= limit else text[:limit] + "..."
    return json.dumps(text) if is_text else text
