"""Processes that a handler left, found by the marker that they carry in their environment."""

from __future__ import annotations

import os
import time
import uuid
from contextlib import suppress
from pathlib import Path


class Marker:
    """An environment in which every process can be found again."""

    def __init__(self):
        self.value = uuid.uuid4().hex
        self.env = {"PATH": os.environ["PATH"], "MARKER": self.value}

    def processes(self):
        return [
            path.name for path in Path("/proc").iterdir() if path.name.isdigit() and self._is_marked(path)
        ]

    def _is_marked(self, path):
        with suppress(OSError):
            # A zombie has no environment any more, and runs nothing.
            return self.value.encode() in (path / "environ").read_bytes()
        return False

    def gone(self, within=10.0):
        """Whether no process is left; the kernel takes a moment to end what was killed."""
        end = time.monotonic() + within
        while self.processes():
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True
