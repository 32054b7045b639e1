"""The processes of the bench: servers and load clients.

Each ends with its block, whatever happens in it, and by itself when this process is killed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policyc.bench.lines import Lines
from policyc.bench.load import Load, LoadReport, Seen

#: Modules that serve, and take the options of ``policyc serve``.
EVALUATOR = ("policyc", "serve")
#: Run by its name: what it belongs to is above this package.
NO_OP = ("policyc_server.noop",)
#: An LLM API that answers the same to everything.
UPSTREAM = ("policyc.bench.upstream",)
_STORE = "policyc_server.store.measure"

_READY = re.compile(r"serving \S+ revision (\S+) on http://127\.0\.0\.1:(\d+)(?: by \d+ workers)?$")
_START_WITHIN = 30.0
_END_WITHIN = 10.0


class BenchError(Exception):
    """A process of the bench did not do its part; the message says what it wrote last."""


@dataclass(frozen=True)
class Server:
    """A running server: its port, and the revision it started with."""

    port: int
    revision: str


@contextmanager
def serving(module: tuple[str, ...], bundle: Path, *options: str) -> Iterator[Server]:
    """A server of ``bundle`` on a free port of loopback. Raises BenchError when it does not start."""
    command = ["policyc.bench.guarded", *module, "--bundle", str(bundle), "--port", "0", *options]
    with _running(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        lines = Lines(process.stderr)
        said = []
        for line in lines.until_silent(_START_WITHIN):
            said.append(line.rstrip())
            ready = _READY.match(said[-1])
            if ready:
                yield Server(int(ready[2]), ready[1])
                return
        raise BenchError(f"{' '.join(module)} did not start: {' / '.join(said[-3:])}")


def measured_store(url: str, events: int) -> dict[str, Any]:
    """What a store at ``url``, which is empty, does with ``events`` events. Raises BenchError."""
    command = [sys.executable, "-m", _STORE, "--url", url, "--events", str(events)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"the store could not be measured: {done.stderr.strip()[-300:]}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


class Client:
    """A running load client."""

    def __init__(self, process: subprocess.Popen[str], load: Load) -> None:
        self._process = process
        self._lines = Lines(process.stdout)
        self._within = load.seconds + _START_WITHIN
        assert process.stdin is not None
        process.stdin.write(load.line())
        process.stdin.flush()

    def next_seen(self, within: float) -> Seen:
        """The next pair of verdict and revision that was not seen before. Raises BenchError."""
        document = next(self._documents(within), {})
        if "verdict" not in document.get("seen", ()):
            raise BenchError(f"no new revision in {within:g} s")
        return Seen(**document["seen"])

    def stop(self) -> None:
        """Ends the load before its time."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def report(self) -> LoadReport:
        """What became of the requests, when all are answered. Raises BenchError."""
        for document in self._documents(self._within):
            if "samples" in document:
                return LoadReport(
                    [(ended, taken) for ended, taken in document["samples"]],
                    document["failures"],
                    [Seen(**seen) for seen in document["seen"]],
                )
        raise BenchError("a load client ended without its report")

    def _documents(self, within: float) -> Iterator[dict[str, Any]]:
        for line in self._lines.until_silent(within):
            yield json.loads(line)


@contextmanager
def loading(load: Load) -> Iterator[Client]:
    """A load client at work."""
    with _running(["policyc.bench.load_client"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Client(process, load)


@contextmanager
def _running(command: list[str], **pipes: Any) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-m", *command], text=True, **pipes)
    try:
        yield process
    finally:
        try:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_WITHIN)
        finally:  # also at a second Ctrl-C
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
