"""Things in the place of the interpreter and of a shell's profile."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

#: What stands for every Python on PATH.
STUBS: Final[Mapping[str, str]] = {
    "exits 49": "exit 49",
    "prints": "echo Python was not found; exit 0",
    "crashes": "kill -SEGV $$",
    "hangs": "exec sleep 3600",
}
_PROFILES: Final = (".profile", ".bash_profile", ".bashrc", ".zshenv", ".zprofile", ".zshrc")
_NAMES: Final = ("python", "python3", *(f"python3.{minor}" for minor in range(9, 15)), "py")


def interpreter(folder: Path, kind: str) -> dict[str, str]:
    """The environment in which every Python on PATH is the stub ``kind``, which is put below ``folder``."""
    place = folder / kind.replace(" ", "-")
    place.mkdir()
    for name in _NAMES:
        stub = place / name
        stub.write_text(f"#!/bin/sh\n{STUBS[kind]}\n", "utf-8")
        stub.chmod(0o755)
    return {"PATH": f"{place}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}


def noisy_home(folder: Path) -> dict[str, str]:
    """The environment of a person whose shell says hello."""
    home = folder / "home"
    home.mkdir()
    for name in _PROFILES:
        (home / name).write_text("echo Welcome back\n", "utf-8")
    return {"HOME": str(home), "ENV": str(home / ".profile"), "ZDOTDIR": str(home)}
