"""What a target's generator answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Generated:
    """``files``: text by path, relative to the folder the agent starts in, with ``/`` between names.
    ``notes``: what these files leave open or leave out, a sentence or two each, for people."""

    files: dict[str, str]
    notes: list[str]
