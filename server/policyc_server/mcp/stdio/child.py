"""The wrapped server as a process: its lines, its end, and how it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

import anyio
from anyio.abc import Process
from mcp.os.posix.utilities import terminate_posix_process_tree

from policyc_server.mcp.stdio.lines import LineCutter

#: Seconds for the server to end once its input is closed, and again once it is told to.
GRACE = 2.0
_LOOK = 0.01
#: Of the policy's own settings, which the server has no business with.
_OURS = "POLICYC_"
_GONE = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)


class ChildGone(ConnectionError):
    """The server reads no more."""


class Child:
    """A running server, in a process group of its own."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, command: Sequence[str]) -> Child:
        """Raises OSError. The server has the environment, folder and standard error of this process."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        process = await anyio.open_process(
            [*command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None,
            env=environment,
            start_new_session=True,
        )
        return cls(process)

    async def lines(self) -> AsyncIterator[bytes]:
        """Every line until the server closes its output. Raises TooLong."""
        cutter = LineCutter()
        assert self._process.stdout is not None
        while True:
            try:
                chunk = await self._process.stdout.receive()
            except _GONE:
                break
            for line in cutter.feed(chunk):
                yield line
        for line in cutter.close():
            yield line

    async def send(self, text: str) -> None:
        """Raises ChildGone."""
        assert self._process.stdin is not None
        try:
            await self._process.stdin.send(text.encode() + b"\n")
        except _GONE:
            raise ChildGone("the MCP server reads no more") from None

    async def close_input(self) -> None:
        """How a client asks a server to end."""
        assert self._process.stdin is not None
        with suppress(*_GONE):
            await self._process.stdin.aclose()

    async def has_ended(self, within: float) -> bool:
        """Looked at again and again: waiting would also wait for whoever inherited the pipes."""
        until = time.monotonic() + within
        while self._process.returncode is None:
            if time.monotonic() >= until:
                return False
            await anyio.sleep(_LOOK)
        return True

    async def end(self) -> None:
        """Ends the server and what it started, by force where it does not listen."""
        await self.close_input()
        await terminate_posix_process_tree(self._process, GRACE)
        await self.has_ended(GRACE)
        assert self._process.stdout is not None
        with suppress(*_GONE):
            await self._process.stdout.aclose()

    @property
    def ending(self) -> str:
        """How it ended, for people."""
        code = self._process.returncode
        if code is None:
            return "closed its output"
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    @property
    def exit_code(self) -> int:
        """As a shell gives it: 128 and the number of the signal; 1 while it runs."""
        code = self._process.returncode
        return 1 if code is None else 128 - code if code < 0 else code
