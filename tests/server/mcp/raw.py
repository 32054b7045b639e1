"""A client that writes any bytes, and reads what a wrapped server's proxy says."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any

_WITHIN = 60


class Raw:
    """One proxy process; ``close`` ends it as a client does."""

    def __init__(self, command: Sequence[str], env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        self.process.kill()
        self.process.wait()

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, **message: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def read(self) -> Any:
        """The next message; every line is one, and nothing else is on standard output."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def start(self) -> None:
        """The handshake."""
        client = {"name": "raw", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.send(id=0, method="initialize", params=params)
        assert self.read()["id"] == 0
        self.send(method="notifications/initialized")

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        self.send(id=number, method="tools/call", params={"name": tool, "arguments": arguments})

    def close(self) -> int:
        """The exit code, once the client's end is closed."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(_WITHIN)

    def said(self) -> str:
        """What is on standard error, once the process has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()
