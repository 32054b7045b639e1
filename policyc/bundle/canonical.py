"""JSON as OPA hashes it: the text that a signature covers, and the hash of each file.

OPA hashes `data.json` and `.manifest` by content, not by bytes: keys sorted, no white space, strings as Go's
encoder writes them without HTML escaping, numbers as they stand in the source (`1`, `1.0` and `1e0` differ).
Every other file is hashed by its bytes. https://www.openpolicyagent.org/docs/management-bundles#signing
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from json.encoder import encode_basestring as _encode_string
from typing import Any, Final, NamedTuple

from policyc.bundle.errors import BundleError, quote
from policyc.bundle.layout import MANIFEST, SIGNATURES


class Structured(NamedTuple):
    """A JSON file: its value, and the text that OPA hashes."""

    value: Any
    canonical: bytes


class _Number(str):
    """A number as it stands in the source."""

    __slots__ = ()


def is_structured(path: str) -> bool:
    """Whether OPA hashes this file by content (`data.yaml` would be too, but an artifact never holds one)."""
    return path == MANIFEST or path.rpartition("/")[2] == "data.json"


class Contents(NamedTuple):
    """Files by path, the hex SHA-256 that a signature lists for each, and the values of the JSON ones."""

    files: Mapping[str, bytes]
    hashes: Mapping[str, str]
    values: Mapping[str, Any]


def read_contents(files: Mapping[str, bytes]) -> Contents:
    """Each file read and hashed once; the signatures, which do not sign themselves, have no hash."""
    structured = {path: read_structured(path, files[path]) for path in files if is_structured(path)}
    hashes = {
        path: sha256(structured[path].canonical if path in structured else content)
        for path, content in files.items()
        if path != SIGNATURES
    }
    return Contents(files, hashes, {path: read.value for path, read in structured.items()})


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def dump(value: Any) -> bytes:
    """`value` in the canonical text itself, so that the file's bytes are what is hashed.

    Raises TypeError, ValueError or RecursionError for what JSON cannot hold (NaN, lone surrogates, cycles).
    """
    return _as_go(_render(value)).encode("utf-8")


def parse(name: str, content: bytes) -> Any:
    """The value of strict JSON: UTF-8, no duplicate keys, no NaN. `name` is for the BundleError."""
    return read_structured(name, content).value


def read_structured(name: str, content: bytes) -> Structured:
    """Value and canonical text of strict JSON; BundleError `json_invalid` or `duplicate_key` about `name`."""
    try:
        text = content.decode("utf-8")
        value = json.loads(text, parse_constant=_refuse_constant)
        rendered = _render(value)
        # Text that our own encoder writes back unchanged is canonical as it stands: every number is its own
        # rendering, the keys are sorted and none is double. That is every file of `policyc build`, in C.
        canonical = _as_go(rendered)
        if text not in (rendered, canonical):
            canonical = _exact(json.loads(text, **_EXACT))
        return Structured(value, canonical.encode("utf-8"))
    except _DuplicateKeyError as error:
        raise BundleError("duplicate_key", f"{quote(name)} has the key {quote(error.key)} twice") from None
    except RecursionError:
        raise BundleError("json_invalid", f"{quote(name)} is nested too deeply") from None
    except ValueError as error:
        # UnicodeError, JSONDecodeError, NaN and numbers beyond Python's limits are all ValueErrors.
        raise BundleError("json_invalid", f"{quote(name)} is not strict JSON ({_one_line(error)})") from None


def _render(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _as_go(text: str) -> str:
    """JSON text of ours as Go writes it: these two are the only difference once HTML is not escaped."""
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


class _DuplicateKeyError(ValueError):
    def __init__(self, key: str) -> None:
        self.key = key


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateKeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return members


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_EXACT: Final[dict[str, Any]] = {
    "parse_int": _Number,
    "parse_float": _Number,
    "object_pairs_hook": _unique,
}


def _exact(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, str):
        return _as_go(_encode_string(value))
    if isinstance(value, dict):
        # Code point order is UTF-8 byte order, which is what Go sorts by.
        return "{" + ",".join(f"{_exact(key)}:{_exact(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_exact, value)) + "]"
    return json.dumps(value)


def _one_line(error: ValueError) -> str:
    return str(error).replace("\n", " ")[:200]
