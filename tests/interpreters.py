"""The other interpreters of this machine that the engine must run on."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

import pytest

VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13")


@cache
def _runs(command: str) -> bool:
    # A launcher on PATH may stand for an interpreter that is not there.
    return subprocess.run([command, "-I", "-S", "-c", ""], capture_output=True, check=False).returncode == 0


def interpreter(version: str) -> str:
    """The command of ``python<version>`` on PATH; skips the test where there is none."""
    command = shutil.which(f"python{version}")
    if command is None or not _runs(command):
        pytest.skip(f"python{version} is not on PATH")
    return command
