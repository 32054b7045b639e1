"""Generated files on disk: written as a whole, and compared to the letter."""

from __future__ import annotations

import difflib
from pathlib import Path, PurePosixPath

from policyc.files import replace_files
from policyc.hooks.errors import HooksError
from policyc.hooks.generated import Generated


def write_files(generated: Generated, out_dir: Path) -> list[Path]:
    """Writes every file below ``out_dir``, creating folders, and returns their paths. Raises HooksError.

    All are complete on disk before the first takes its place, and each replaces the old one at once: a reader
    sees the old file or the new one, and a full disk changes nothing.
    """
    targets = {_place(out_dir, path): text.encode("utf-8") for path, text in generated.files.items()}
    try:
        for target in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
        # 0666 less the umask, as any program's output: the agent that reads the file may be another user.
        replace_files(targets)
    except OSError as error:
        named = error.filename2 or error.filename or str(out_dir)
        raise HooksError("file_unwritable", f"cannot write {named}: {error.strerror}") from None
    return list(targets)


def drift(generated: Generated, out_dir: Path) -> list[str]:
    """How files below ``out_dir`` are not exactly ``generated``, one text for people per file: that it is
    missing or cannot be read, or a unified diff from what is there. Other files are not looked at."""
    found = (_difference(path, text, out_dir) for path, text in generated.files.items())
    return [difference for difference in found if difference is not None]


def _difference(path: str, text: str, out_dir: Path) -> str | None:
    try:
        content = _place(out_dir, path).read_bytes()
        return None if content == text.encode("utf-8") else _unified(path, content.decode("utf-8"), text)
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
