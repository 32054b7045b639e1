"""A shell command in a process group of its own: fed, read up to a limit, and ended as a whole."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

from policyc.hooks.runtime.answers import MAX_ANSWER

_SHELL: Final = ("/bin/sh", "-c")
_STDOUT, _STDERR = 1, 2
#: Bytes of standard error that are kept, its end.
_MAX_STDERR: Final = 1 << 12


class Process(asyncio.SubprocessProtocol):
    """A running command. ``ended`` is set when it has exited and nothing holds its output open any more.

    Output beyond the limits is read and dropped: the command never blocks on it, and never fills the memory.
    """

    def __init__(self) -> None:
        self.exited = asyncio.Event()
        self.ended = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._input: asyncio.WriteTransport | None = None
        self._open = {_STDOUT, _STDERR}
        self._stdout = bytearray()
        self._stderr = bytearray()

    @classmethod
    async def start(cls, command: str, event: bytes, cwd: Path | None, env: Mapping[str, str]) -> Process:
        """``sh -c command`` with ``event`` on its way to its standard input. Raises OSError, ValueError."""
        process = cls()
        spawning = asyncio.create_task(process._spawn(command, event, cwd, env))
        try:
            # A start that is cancelled halfway leaves a transport that never says that the process exited.
            await asyncio.shield(spawning)
        except BaseException:
            await asyncio.wait([spawning])
            await process.close()
            raise
        return process

    @property
    def exit_code(self) -> int | None:
        """As the shell exited, negative for the signal that ended it; None while it runs."""
        return None if self._transport is None else self._transport.get_returncode()

    @property
    def answer(self) -> bytes | None:
        """What it wrote to standard output; None when that was too much."""
        return None if len(self._stdout) > MAX_ANSWER else bytes(self._stdout)

    @property
    def stderr(self) -> str:
        """The end of what it wrote to standard error."""
        return self._stderr.decode("utf-8", "replace")

    async def close(self) -> None:
        """Kills the whole group, unless the command ended by itself, and lets go of its pipes."""
        if self._input is not None and self._input.get_write_buffer_size():
            self._input.abort()
        if self._transport is None:
            return
        try:
            if not self.ended.is_set():
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._transport.get_pid(), signal.SIGKILL)
                await self.exited.wait()
        finally:
            self._transport.close()

    async def _spawn(self, command: str, event: bytes, cwd: Path | None, env: Mapping[str, str]) -> None:
        loop = asyncio.get_running_loop()
        # A pipe of our own: asyncio's may be a socket, which nobody can open as /dev/stdin.
        read_end, write_end = os.pipe()
        pipe = open(write_end, "wb", buffering=0)  # noqa: SIM115  (the event loop closes it)
        try:
            await loop.subprocess_exec(
                lambda: self, *_SHELL, command, stdin=read_end, cwd=cwd, env=env, start_new_session=True
            )
        except BaseException:
            pipe.close()
            raise
        finally:
            os.close(read_end)
        self._input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, pipe)
        self._input.write(event)
        self._input.close()

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDERR:
            self._stderr += data
            del self._stderr[:-_MAX_STDERR]
        elif len(self._stdout) <= MAX_ANSWER:
            self._stdout += data

    def pipe_connection_lost(self, fd: int, _error: Exception | None) -> None:
        self._open.discard(fd)
        self._settle()

    def process_exited(self) -> None:
        self.exited.set()
        self._settle()

    def _settle(self) -> None:
        if not self._open and self.exited.is_set():
            self.ended.set()
