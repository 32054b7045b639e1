"""The bundles that ship with policyc: what ``include`` and ``extends`` find after a bundle's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import policyc
from policyc.source.tree import BUNDLE_FILE, SourceTree, read_tree

_PACKAGE = Path(policyc.__file__).parent
#: As installed, and in a checkout.
_PLACES = (_PACKAGE / "shipped_bundles", _PACKAGE.parent / "bundles")


@cache
def shipped_presets() -> Mapping[str, SourceTree]:
    """The bundles that ship, by the name of their folder."""
    place = _place()
    folders = sorted(folder for folder in place.iterdir() if (folder / BUNDLE_FILE).is_file())
    return {folder.name: read_tree(folder) for folder in folders}


def shipped_folder(name: str) -> Path:
    """The folder of a bundle that ships, with its tests."""
    return _place() / name


def _place() -> Path:
    return next(place for place in _PLACES if place.is_dir())
