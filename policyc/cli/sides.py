"""The two sides of a comparison: targets as they are, or as they stood at a git revision."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from policyc.analysis.revisions import RevisionError, check_out, is_revision
from policyc.cli.answers import fail, loaded
from policyc.loading import Loaded


@dataclass(frozen=True, slots=True)
class Side:
    """``folder`` is what was read; ``shown`` is how its reader names it."""

    loaded: Loaded
    folder: Path
    shown: str

    def opened(self, place: str) -> str:
        """Where ``path:line`` of the bundle is found."""
        if place.startswith("preset:") or self.loaded.artifact is not None:
            return place
        if self.folder.is_dir():
            return f"{self.shown.rstrip('/')}/{place}"
        return f"{self.shown}:{place.rpartition(':')[2]}" if ":" in place else self.shown


@contextmanager
def two_sides(old: str, new: str, path: Path | None, form: str) -> Iterator[tuple[Side, Side]]:
    """``old`` and ``new``, ready to decide; ends the command where one cannot be. With ``path`` both are
    revisions; without, ``old`` may be one of what ``new`` names."""
    with tempfile.TemporaryDirectory(prefix="policyc-") as scratch:
        places = Path(scratch) / "old", Path(scratch) / "new"
        if path is not None:
            first, second = (
                _at_revision(name, path, place, form) for name, place in zip((old, new), places, strict=True)
            )
        elif Path(old).exists() or not is_revision(old, Path()):
            first, second = (_as_it_is(Path(name), form) for name in (old, new))
        else:
            first, second = _at_revision(old, Path(new), places[0], form), _as_it_is(Path(new), form)
        yield first, second


def _as_it_is(target: Path, form: str) -> Side:
    return Side(loaded(target, (), form), target, str(target))


def _at_revision(revision: str, path: Path, place: Path, form: str) -> Side:
    try:
        found = check_out(revision, path, Path(), place)
    except RevisionError as error:
        fail("unknown_revision", str(error), "Name a commit, and a path in its repository.", form=form)
    return Side(loaded(found, (), form), found, f"{revision}:{path}")
