"""Command handlers: a command line that reads the event and prints a decision."""

from __future__ import annotations

import asyncio

from policyc.hooks.declared import Command
from policyc.hooks.runtime.causes import Attempt
from policyc.hooks.runtime.processes import Process
from policyc.hooks.runtime.sandbox import Sandbox


async def run_command(command: Command, event: bytes, timeout: float, sandbox: Sandbox) -> Attempt:
    """Runs ``command``, at most ``timeout`` seconds. Cancelled, it leaves no process behind."""
    try:
        process = await Process.start(command.command, event, sandbox.cwd, sandbox.command_env())
    except (OSError, ValueError) as error:  # ValueError: a NUL in it
        return Attempt(cause="not_started", detail=str(error))
    try:
        async with asyncio.timeout(timeout):
            await process.ended.wait()
    except TimeoutError:
        return _unfinished(process, timeout)
    finally:
        await process.close()
    return _finished(process)


def _unfinished(process: Process, timeout: float) -> Attempt:
    cause = "output_held_open" if process.exited.is_set() else "timeout"
    detail = f"ended with its process group after {timeout:g} s"
    return Attempt(cause=cause, detail=detail, exit_code=process.exit_code, stderr=process.stderr)


def _finished(process: Process) -> Attempt:
    code = process.exit_code
    cause = "exit_nonzero" if code else None
    return Attempt(process.answer, cause, exit_code=code, stderr=process.stderr)
