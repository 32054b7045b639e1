"""What the connections of a load share."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from time import monotonic_ns
from typing import Any, cast

from policyc.bench.load import Load

_DECIDED = re.compile(rb'"verdict":"([a-z_]+)".*"revision":"([^"]+)"', re.DOTALL)


class LoadRun:
    """The requests in their order, and what became of them."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.is_over = False
        self.requests = [
            (request.encode(load.port), request.status, request.contains.encode())
            for request in load.requests
        ]
        #: When each answer was complete, and how long it took, in nanoseconds of the monotonic clock,
        #: which all processes of a machine share.
        self.samples: list[tuple[int, int]] = []
        self.failures: Counter[str] = Counter()
        self._next = 0
        self._seen: dict[tuple[bytes, bytes], int] = {}

    def take(self) -> tuple[bytes, int, bytes]:
        """The next request: its bytes, and the status and the text that its answer must have."""
        self._next += 1
        return self.requests[self._next % len(self.requests)]

    def answered(self, started: int, status: int, body: bytes, expected: tuple[bytes, int, bytes]) -> None:
        """Notes the answer to a request that was sent at ``started``."""
        now = monotonic_ns()
        self.samples.append((now, now - started))
        if status != expected[1]:
            self.failures[f"status {status} for {expected[1]}"] += 1
        elif expected[2] not in body:
            self.failures[f"no {expected[2].decode()} in the answer"] += 1
        if self.load.watches:
            self._watch(body, now)

    def _watch(self, body: bytes, now: int) -> None:
        decided = _DECIDED.search(body)
        if decided is not None and (pair := cast("tuple[bytes, bytes]", decided.groups())) not in self._seen:
            self._seen[pair] = now
            tell({"seen": _seen(pair, now)})

    def report(self) -> dict[str, Any]:
        """What ``LoadReport`` is made of."""
        seen = [_seen(pair, at) for pair, at in self._seen.items()]
        return {"samples": self.samples, "failures": dict(self.failures), "seen": seen}


def _seen(pair: tuple[bytes, bytes], at: int) -> dict[str, Any]:
    return {"verdict": pair[0].decode(), "revision": pair[1].decode(), "at": at}


def tell(document: object) -> None:
    """Writes ``document`` as a line on stdout."""
    # Not print: with PYTHONUNBUFFERED it loses what a pipe does not take in one write.
    with open(sys.stdout.fileno(), "wb", closefd=False) as out:
        out.write(json.dumps(document).encode() + b"\n")
