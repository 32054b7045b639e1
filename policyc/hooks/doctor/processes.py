"""A hook as a process: started, fed, judged and killed as its agent does."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from policyc.hooks.doctor.around import Around
from policyc.hooks.target import Hook, Run


def run(hook: Hook, folder: Path, around: Around) -> Run:
    """``hook`` in ``folder``. At its timeout the process group is killed, as agents do; a command that cannot
    be started ends with 127, as in a shell."""
    read_end, write_end = os.pipe()
    try:
        process = _start(hook, folder, around.env, read_end)
    except OSError as error:
        os.close(write_end)
        return Run(stderr=f"{error.strerror}: {error.filename}", exit_code=127, entry=hook.entry)
    finally:
        os.close(read_end)
    done = threading.Event()
    feeder = threading.Thread(target=_feed, args=(write_end, around, done))
    feeder.start()
    try:
        return _ended(process, hook)
    finally:
        done.set()
        feeder.join()


def _start(hook: Hook, folder: Path, env: Mapping[str, str], stdin: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        hook.command,
        shell=isinstance(hook.command, str),
        cwd=folder,
        env={**os.environ, **hook.env, **env},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _feed(pipe: int, around: Around, done: threading.Event) -> None:
    with suppress(BrokenPipeError), open(pipe, "wb", buffering=0) as file:
        rest = memoryview(around.event)
        while rest:
            rest = rest[file.write(rest) or 0 :]
        if around.endless:
            done.wait()


def _ended(process: subprocess.Popen[bytes], hook: Hook) -> Run:
    timed_out = False
    try:
        out, err = process.communicate(timeout=hook.timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
    # What it left running would keep its output open.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if timed_out:
        out, err = process.communicate()
    texts = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    return Run(*texts, process.returncode, timed_out, hook.entry)
