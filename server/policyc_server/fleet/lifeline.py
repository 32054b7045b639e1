"""A worker does not outlive its parent, however that ended."""

from __future__ import annotations

import os
import signal
import threading


def end_with_the_parent(lifeline: int) -> None:
    """Drains this process once the other end of `lifeline` is closed, which only the parent holds."""

    def wait() -> None:
        os.read(lifeline, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="lifeline", daemon=True).start()
