"""``policyc serve`` as a process of its own, and plain connections to it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

_READY = re.compile(r"serving (\S+) revision (\S+) on (https?)://(\S+):(\d+)")
_START_WITHIN = 20.0
_RUN = """
import pathlib, sys
from policyc_server.run import run
from policyc_server.settings import Settings
sys.exit(run(Settings(pathlib.Path('{bundle}'), **{settings!r})))
"""
_WITHIN = 10.0


def eventually(check: Callable[[], Any], within: float = _WITHIN) -> Any:
    """The first true answer of ``check``; fails after ``within`` seconds."""
    end = time.monotonic() + within
    while True:
        answer = check()
        if answer:
            return answer
        assert time.monotonic() < end, f"still {answer!r} after {within} s"
        time.sleep(0.01)


class ServerProcess:
    """One server; ``port`` is known once it is ready. ``settings`` are those that have no option."""

    def __init__(self, bundle: Path, *options: str | Path, **settings: object) -> None:
        command: list[object] = ["-m", "policyc", "serve", "--bundle", bundle, "--port", "0", *options]
        if settings:
            command = ["-c", _RUN.format(bundle=bundle, settings={"port": 0, **settings})]
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", *map(str, command)],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    @property
    def stderr(self) -> str:
        return "\n".join(self.lines)

    def ready(self) -> ServerProcess:
        def found() -> re.Match[str] | None:
            assert self.process.poll() is None, self.stderr
            return next((match for line in self.lines if (match := _READY.match(line))), None)

        match = eventually(found, _START_WITHIN)
        self.bundle, self.revision, self.scheme = match[1], match[2], match[3]
        self.port = int(match[5])
        self.url = f"{self.scheme}://127.0.0.1:{self.port}"
        self.client = httpx.Client(base_url=self.url, verify=False)
        return self

    def post(self, path: str, document: object) -> httpx.Response:
        return self.client.post(path, json=document)

    def verdict(self, call: object) -> str:
        return str(self.post("/v1/evaluate", call).json()["verdict"])

    def status(self) -> dict[str, Any]:
        document: dict[str, Any] = self.client.get("/v1/status").json()
        return document

    def error(self) -> str | None:
        """The code of what keeps the disk from being served."""
        error = self.status()["reload"]["error"]
        return None if error is None else str(error["code"])

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=_WITHIN)

    def wait(self) -> int:
        code = self.process.wait(_START_WITHIN)
        self._reader.join(_WITHIN)
        return code

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.wait()
        if hasattr(self, "client"):
            self.client.close()
        if self.process.stderr is not None:
            self.process.stderr.close()
