"""Globs over names and over runs of names, between the slashes of a path."""

from __future__ import annotations

from policyc.engine import globs
from policyc.engine.file_paths import nfc

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable

    Fits = Callable[[str], bool]
    Run = list[Fits]

#: What HFS+ ignores in names: ``.g<U+200C>it`` opens ``.git`` (CVE-2014-9390).
_IGNORED = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


def fold(text: str) -> str:
    """``text`` as a file system that ignores case compares it."""
    if text.isascii():
        return text.lower()
    return nfc(nfc(text).translate(_IGNORED).casefold())


def covers(runs: list[Run], names: list[str]) -> bool:
    """Whether ``names`` are the runs with any names between them. The leftmost place for a run leaves the
    most room for the next."""
    first, last = runs[0], runs[-1]
    if len(runs) == 1:
        return len(names) == len(first) and _fit(first, names, 0)
    at, end = len(first), len(names) - len(last)
    if end < at or not _fit(first, names, 0) or not _fit(last, names, end):
        return False
    for run in runs[1:-1]:
        while at + len(run) <= end and not _fit(run, names, at):
            at += 1
        if at + len(run) > end:
            return False
        at += len(run)
    return True


def _fit(run: Run, names: list[str], at: int) -> bool:
    for fits in run:
        if not fits(names[at]):
            return False
        at += 1
    return True


def name_glob(text: str, folds: bool) -> Fits:
    """Whether a name fits the glob ``text``, which has no slash; names come folded where ``folds``."""
    glob = fold(text) if folds else text
    if "?" in glob:
        return lambda name: _fits(glob, name)
    return globs.matcher(glob) if "*" in glob else lambda name: name == glob


def _fits(glob: str, name: str) -> bool:
    """``*`` and ``?`` in one name. Only the last star is ever widened, so len(glob) * len(name) steps."""
    at = seen = 0
    star, resume = -1, 0
    while seen < len(name):
        if at < len(glob) and glob[at] == "*":
            star, resume = at, seen
            at += 1
        elif at < len(glob) and glob[at] in ("?", name[seen]):
            at += 1
            seen += 1
        elif star >= 0:
            resume += 1
            at, seen = star + 1, resume
        else:
            return False
    return all(char == "*" for char in glob[at:])
