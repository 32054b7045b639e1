"""Runs a module that ends when the process that started it is gone, however that went: stdin closes then.

python -m policyc.bench.guarded MODULE [ARGUMENT ...]
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading


def main() -> None:
    """Runs the module that the arguments name as it would run by itself."""
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _end_with_stdin() -> None:
    # Not sys.stdin: its lock, held by a daemon thread, is fatal at the end of the interpreter.
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
