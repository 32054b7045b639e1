"""What a target's generator answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Merged:
    """A settings document with our keys in it.

    ``native``: the agent's own rules that are ours, where they share a list with rules of others.
    ``notes``: what the settings themselves leave open.
    """

    settings: dict[str, Any]
    notes: Sequence[str] = ()
    native: Sequence[str] = ()


@dataclass(frozen=True)
class Merge:
    """Keys of ours in a settings file that others write too.

    ``apply(settings, native)`` is pure: the settings that are there (``{}`` where there is no file) and the
    native rules that an earlier run added, to the new ones. It may raise HooksError. ``record``: the path of
    a file of ours that keeps ``Merged.native`` for the next run, None where there are none.
    """

    apply: Callable[[dict[str, Any], Sequence[str]], Merged]
    record: str | None = None


@dataclass(frozen=True)
class Native:
    """One thing that the policy says: the agent's own rule for it, or why there is none."""

    what: str
    rule: str | None
    why: str


@dataclass(frozen=True)
class Generated:
    """``files``: text by path, relative to the folder the agent starts in, with ``/`` between names.
    ``notes``: what these files leave open or leave out, a sentence or two each, for people.
    ``merged``: settings files that others write too. ``executable``: the files that the agent executes.
    ``clashes``: files of ours in whose place another agent's may be, told by the keys in its groups."""

    files: dict[str, str]
    notes: list[str]
    merged: Mapping[str, Merge] = field(default_factory=dict)
    executable: frozenset[str] = frozenset()
    clashes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    native: Sequence[Native] = ()
