"""A target as it stood at a git revision: ``origin/main``, ``HEAD~2``, a commit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path, PurePosixPath

_FILES = (b"100644", b"100755")


class RevisionError(Exception):
    """git cannot give what was asked for."""


def is_revision(name: str, folder: Path) -> bool:
    """Whether ``name`` is a commit of the repository that ``folder`` is in."""
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return _run(folder, *asked).returncode == 0


def check_out(revision: str, path: Path, folder: Path, into: Path) -> Path:
    """Writes ``path`` (relative to ``folder``) as of ``revision`` below ``into`` and returns where it is.

    Every file comes as it was committed: no attribute or filter of the repository can leave one out or change
    it. Raises RevisionError.
    """
    inside = PurePosixPath(os.path.normpath(f"{_said(folder, 'rev-parse', '--show-prefix').strip()}{path}"))
    if inside.is_absolute() or ".." in inside.parts:
        raise RevisionError(f"{path} is outside the repository")
    commit = _said(folder, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").strip()
    entries = _entries(commit, inside, folder)
    if not entries:
        raise RevisionError(f"{revision} has no {inside}")
    for mode, blob, name in entries:
        if mode not in _FILES:
            raise RevisionError(f"{name} at {revision} is a link or another repository, not a file")
        place = into / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(_asked(folder, "cat-file", "blob", blob))
    return into / inside


def _entries(commit: str, inside: PurePosixPath, folder: Path) -> list[tuple[bytes, str, str]]:
    listed = _asked(folder, "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, f"{inside}")
    found = []
    for line in filter(None, listed.split(b"\0")):
        facts, _, name = line.partition(b"\t")
        mode, _kind, blob = facts.split()
        found.append((mode, blob.decode("ascii"), os.fsdecode(name)))
    return found


def _said(folder: Path, *args: str) -> str:
    return os.fsdecode(_asked(folder, *args))


def _asked(folder: Path, *args: str) -> bytes:
    done = _run(folder, *args)
    if done.returncode:
        raise RevisionError(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout


def _run(folder: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", str(folder), *args], capture_output=True, check=False)
    except FileNotFoundError:
        raise RevisionError("git is not installed") from None
