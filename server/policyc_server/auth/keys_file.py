"""A file of keys: ``{"keys": [{"id", "role", "agent", "policy", "hash", "created_at"}]}``, no secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from policyc.engine.documents import Malformed, parse
from policyc.files import replace_files
from policyc_server.answers import encode
from policyc_server.auth.identity import TOKEN
from policyc_server.store.keys import ROLES, Key

_HASH = re.compile(r"[0-9a-f]{64}")
_KEYS = frozenset(("id", "role", "agent", "policy", "hash", "created_at"))
_LARGEST = 4 * 1024 * 1024


class KeysFileError(ValueError):
    """A keys file that cannot be used; the message says where."""


def read_keys(path: Path) -> dict[str, Key]:
    """Keys by the hash of their secret. Raises KeysFileError."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise KeysFileError(f"cannot read {path}: {error.strerror}") from None
    if len(content) > _LARGEST:
        raise KeysFileError(f"{path} is larger than {_LARGEST} bytes")
    try:
        document = parse(content)
    except Malformed as error:
        raise KeysFileError(f"{path}: {error.message}") from None
    entries = document.get("keys") if isinstance(document, dict) and set(document) == {"keys"} else None
    if not isinstance(entries, list):
        raise KeysFileError(f'{path} is not {{"keys": [...]}}')
    found = [_entry(entry, f"{path}: $.keys[{number}]") for number, entry in enumerate(entries)]
    if len({key.id for _, key in found}) < len(found) or len(dict(found)) < len(found):
        raise KeysFileError(f"{path}: two keys have one id or one secret")
    return dict(found)


def write_keys(path: Path, keys: Iterable[tuple[str, Key]]) -> None:
    """Writes the file whole, mode 0600 where it is new. Raises OSError."""
    entries = [
        {
            "id": key.id,
            "role": key.role,
            "agent": key.agent,
            "policy": key.policy,
            "hash": digest,
            "created_at": key.created_at,
        }
        for digest, key in keys
    ]
    replace_files({path: encode({"keys": entries}) + b"\n"}, mode=0o600)


def _entry(entry: object, at: str) -> tuple[str, Key]:
    if not isinstance(entry, dict) or not {"id", "role", "hash"} <= set(entry) <= _KEYS:
        raise KeysFileError(f"{at} is not an object of {', '.join(sorted(_KEYS))}")
    values: dict[str, Any] = {name: entry.get(name) for name in _KEYS}
    for name in ("id", "role", "hash"):
        if not isinstance(values[name], str):
            raise KeysFileError(f"{at}.{name} is not a string")
    for name in ("agent", "policy"):
        if not isinstance(values[name], str | None):
            raise KeysFileError(f"{at}.{name} is neither a string nor null")
    if not _HASH.fullmatch(values["hash"]):
        raise KeysFileError(f"{at}.hash is no SHA-256 in hex")
    problem = key_problem(values["id"], values["role"], values["agent"])
    if problem is not None:
        raise KeysFileError(f"{at}: {problem}")
    created = values["created_at"]
    created = created if isinstance(created, int) else 0
    return values["hash"], Key(values["id"], values["role"], values["agent"], values["policy"], created, None)


def key_problem(name: str, role: str, agent: str | None) -> str | None:
    """What is wrong with a key of that id, role and agent, or None."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        return f"{name!r} is no id: letters, digits, dots, dashes and underscores, at most 64"
    if name == TOKEN:
        return f"{name!r} is the id of `serve --token`"
    if role not in ROLES:
        return f"{role!r} is not a role; roles are {', '.join(ROLES)}"
    if role == "agent" and not agent:
        return "a key of role agent needs the agent's name"
    if role == "admin" and agent is not None:
        return "a key of role admin is of no agent"
    return None
