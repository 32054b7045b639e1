"""Python's garbage collector around a load, which makes a great many objects that live long.

A collection stops every thread while it visits every object: about 70 ms with a policy of 10,000 rules, and
a load of that size sets off several.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """No collection inside. One comes first, and is short where `keep` was called before."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def keep() -> None:
    """Takes all that lives now out of later collections.

    A policy holds no cycles, so it still goes as soon as it is replaced.
    """
    gc.freeze()
