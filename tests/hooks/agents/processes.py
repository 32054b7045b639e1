"""The generated hooks as processes, started and judged as each agent does."""

from __future__ import annotations

import json
import os
import signal
import subprocess

from policyc.hooks.target import Hook, Run, Target


def run(hook: Hook, folder, event: object, *, path: str | None = None, timeout: float = 60) -> Run:
    """``hook`` in ``folder`` with ``event`` (bytes as they are) on stdin; ``path`` stands for PATH."""
    text = event if isinstance(event, bytes) else json.dumps(event).encode()
    environment = {**os.environ, **hook.env} | ({} if path is None else {"PATH": path})
    process = subprocess.Popen(
        hook.command,
        shell=isinstance(hook.command, str),
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(text, timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Run(out.decode(), err.decode(), process.returncode, True, hook.entry)
    return Run(out.decode(), err.decode(), process.returncode, False, hook.entry)


def judged(target: Target, folder, event: object, **changes: object) -> list[str]:
    """What becomes of a call, once for each hook that ``target`` starts before it."""
    return [target.judge(run(hook, folder, event, **changes)) for hook in target.hooks(folder)]
