"""Generated files on disk: written as a whole, and compared to the letter.

A settings file that others write too is taken as it is with our keys merged in, so writing twice changes
nothing, and comparing says whether writing would change anything.
"""

from __future__ import annotations

import difflib
import json
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from policyc.files import replace_files
from policyc.hooks.errors import HooksError
from policyc.hooks.gate_files import PLAN, SCRIPT
from policyc.hooks.generated import Generated
from policyc.hooks.settings.merge import check_clash, check_script, merged, recorded

_EXECUTABLE = 0o755


@dataclass(frozen=True)
class Planned:
    """Every file as it should be: ``contents`` by path, and what the settings that are there leave open."""

    contents: dict[str, bytes]
    executable: frozenset[str]
    notes: list[str]


def planned(generated: Generated, out_dir: Path) -> Planned:
    """What ``generated`` comes to below ``out_dir``, where settings may be. Raises HooksError."""
    for path, keys in generated.clashes.items():
        check_clash(_place(out_dir, path), path, keys)
    for path, text in generated.files.items():
        if PurePosixPath(path).name == SCRIPT:
            check_script(_place(out_dir, path), path, text)
    contents = {path: text.encode("utf-8") for path, text in generated.files.items()}
    notes = [*_other_plans(generated, out_dir)]
    for path, merge in generated.merged.items():
        record = None if merge.record is None else _place(out_dir, merge.record)
        content, found = merged(_place(out_dir, path), path, merge, record)
        notes += [f"{path}: {note}" for note in found.notes]
        if content is not None:
            contents[path] = content
        if record is not None and merge.record and (found.native or record.exists()):
            contents[merge.record] = recorded(found.native)
    return Planned(contents, generated.executable, notes)


def _other_plans(generated: Generated, out_dir: Path) -> Iterator[str]:
    """Where the gate has the plan of another bundle until now: every agent of the folder is decided by it."""
    for path, text in generated.files.items():
        if PurePosixPath(path).name == PLAN:
            there, ours = _bundle(_place(out_dir, path)), json.loads(text)["plan"]["bundle"]
            if there not in (None, ours):
                yield (
                    f"{path}: the plan of bundle {there!r} gives way to that of {ours!r}, by which the hooks "
                    "of every agent that start this gate are decided then."
                )


def _bundle(plan: Path) -> object:
    try:
        return json.loads(plan.read_bytes())["plan"]["bundle"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # none there, or a damaged one
        return None


def write_files(generated: Generated, out_dir: Path) -> list[Path]:
    """Writes every file below ``out_dir``, creating folders, and returns their paths. Raises HooksError.

    All are complete on disk before the first takes its place, and each replaces the old one at once: a reader
    sees the old file or the new one, and a full disk changes nothing.
    """
    plan = planned(generated, out_dir)
    targets = {_place(out_dir, path): content for path, content in plan.contents.items()}
    try:
        for target in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
        # 0666 less the umask, as any program's output: the agent that reads the file may be another user.
        replace_files(targets)
        for path in plan.executable:
            _place(out_dir, path).chmod(_EXECUTABLE)
    except OSError as error:
        named = error.filename2 or error.filename or str(out_dir)
        raise HooksError("file_unwritable", f"cannot write {named}: {error.strerror}") from None
    return list(targets)


def drift(generated: Generated, out_dir: Path) -> list[str]:
    """How files below ``out_dir`` are not exactly ``generated``, one text for people per file: that it is
    missing or cannot be read, or a unified diff from what is there. Other files, and other keys of settings
    that others write too, are not looked at. Raises HooksError for settings that cannot be read."""
    plan = planned(generated, out_dir)
    found = [_difference(path, content, out_dir) for path, content in plan.contents.items()]
    found += [_not_executable(path, out_dir) for path in sorted(plan.executable)]
    return [difference for difference in found if difference is not None]


def _not_executable(path: str, out_dir: Path) -> str | None:
    target = _place(out_dir, path)
    if not target.is_file() or target.stat().st_mode & stat.S_IXUSR:
        return None
    return f"{path} is not executable"


def _difference(path: str, wanted: bytes, out_dir: Path) -> str | None:
    try:
        content = _place(out_dir, path).read_bytes()
        return None if content == wanted else _unified(path, content.decode("utf-8"), wanted.decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return f"{path} is missing"
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        return f"{path} is not UTF-8: byte {error.start}"


def _unified(path: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(
        _lines(old), _lines(new), f"{path} (on disk)", f"{path} (generated)", lineterm=""
    )
    return "\n".join(lines)


def _lines(text: str) -> list[str]:
    """Lines without their end, where what cannot be seen is made visible."""
    *whole, rest = text.split("\n")
    return [_visible(line) for line in whole] + (
        [f"{_visible(rest)}\\ no newline at end of file"] if rest else []
    )


def _visible(line: str) -> str:
    """``line`` with its trailing white space and every unprintable character escaped."""
    kept = line.rstrip()
    shown = [char if char.isprintable() else _escaped(char) for char in kept]
    return "".join([*shown, *map(_escaped, line[len(kept) :])])


def _escaped(char: str) -> str:
    return f"\\u{{{ord(char):x}}}"


def _place(out_dir: Path, path: str) -> Path:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or "\\" in path or ".." in parts:
        raise HooksError("path_invalid", f"{path!r} is no place for a generated file")
    return out_dir.joinpath(*parts)
