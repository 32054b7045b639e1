"""The interpreters of this machine that the engine and the gate must run on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13")
_ROOT = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()


def interpreter(version: str) -> str:
    """An executable of ``version``, from PATH or pyenv; skips the test where there is none."""
    return _found(version) or pytest.skip(f"Python {version} is not here")


@cache
def _found(version: str) -> str | None:
    named = shutil.which(f"python{version}")
    own = [sys.executable] if version == f"3.{sys.version_info.minor}" else []
    candidates = [
        *own,
        *([named] if named else []),
        *map(str, _ROOT.glob(f"versions/{version}.*/bin/python3")),
    ]
    return next((path for path in candidates if _is(path, version)), None)


def _is(path: str, version: str) -> bool:
    # A launcher on PATH may stand for an interpreter that is not there.
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    ran = subprocess.run([path, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    return ran.stdout.strip() == version
