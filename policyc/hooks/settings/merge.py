"""Settings files on disk with our keys in them, as bytes; nothing is written here."""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from policyc.hooks.errors import HooksError
from policyc.hooks.generated import Merge, Merged
from policyc.hooks.settings.json_edit import rewritten, written
from policyc.hooks.settings.json_text import NotSettings, parse

_BOM: Final = "\ufeff"


def merged(path: Path, shown: str, merge: Merge, record: Path | None) -> tuple[bytes | None, Merged]:
    """The content of the settings at ``path`` with ``merge`` applied, None where no file is wanted.

    ``record`` is where the native rules of the last run are. Raises HooksError for a file that is damaged,
    not ours to change, or of another shape, with what to add by hand: nothing is lost.
    """
    text = _text(path, shown)
    try:
        settings = {} if text is None else _settings(text.removeprefix(_BOM))
        found = merge.apply(settings, _recorded(record))
        if text is None:
            return (written(found.settings).encode() if found.settings else None), found
        bom = _BOM if text.startswith(_BOM) else ""
        return (bom + rewritten(text.removeprefix(_BOM), found.settings)).encode(), found
    except (HooksError, NotSettings) as error:
        why = error.message if isinstance(error, HooksError) else str(error)
        raise HooksError("settings_invalid", f"{shown} is left as it is: {why}{_to_add(merge)}") from None


def check_clash(path: Path, shown: str, keys: Sequence[str]) -> None:
    """Raises HooksError where a group in the file at ``path`` has one of ``keys``: it is another agent's."""
    try:
        groups = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return
    for name, group in groups.items() if isinstance(groups, dict) else ():
        if isinstance(group, dict) and not group.keys().isdisjoint(keys):
            message = (
                f"{shown} is left as it is: its group {name!r} is for another agent that reads this file"
            )
            raise HooksError("settings_invalid", message)


def check_script(path: Path, shown: str, text: str) -> None:
    """Raises HooksError where the script at ``path`` is not the gate, whose ``text`` would take its place."""
    try:
        first = path.read_bytes().partition(b"\n")[0]
    except OSError:
        return
    if first != text.partition("\n")[0].encode():
        raise HooksError("script_clash", f"{shown} is a script of yours, and the gate would take its place")


def read_settings(path: Path) -> dict[str, Any]:
    """The settings at ``path``, with what merging accepts. Raises OSError, and NotSettings."""
    return _settings(path.read_bytes().decode().removeprefix(_BOM))


def recorded(native: Sequence[str]) -> bytes:
    """The content of a record of native rules."""
    return written(list(native)).encode()


def _text(path: Path, shown: str) -> str | None:
    try:
        content = path.read_bytes()
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise HooksError("file_unwritable", f"cannot read {shown}: {error.strerror}") from None
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise HooksError("file_unwritable", f"{shown} is read-only")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise HooksError(
            "settings_invalid", f"{shown} is left as it is: byte {error.start} is not UTF-8"
        ) from None


def _settings(text: str) -> dict[str, Any]:
    value = parse(text).value
    if not isinstance(value, dict):
        raise NotSettings("the top level is not an object")
    return value


def _recorded(record: Path | None) -> list[str]:
    """What the last run added. A record that is gone or damaged says nothing: then all rules are others'."""
    try:
        found = json.loads(record.read_bytes()) if record else []
    except (OSError, ValueError):
        return []
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def _to_add(merge: Merge) -> str:
    return f". What to add: {json.dumps(merge.apply({}, []).settings, ensure_ascii=False)}"
